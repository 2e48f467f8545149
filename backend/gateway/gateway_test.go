package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mobius/backend/feed"
	"mobius/backend/llm"
	"mobius/backend/session"
	"mobius/backend/store"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

// providers knows one kind and never reaches anybody.
type providers struct{}

func (providers) Kinds() []wire.ProviderKind {
	return []wire.ProviderKind{{ID: "demo", Name: "Demo"}, {ID: "other", Name: "Other", BaseURL: "http://127.0.0.1:1"}}
}
func (providers) Normalize(_, base string) (string, error) { return base, nil }
func (providers) Model(wire.ProviderInstance, string, string) (llm.Model, error) {
	return nil, errors.New("no models here")
}
func (providers) Attempts(string) llm.Attempts           { return nil }
func (providers) Info(_, model string) wire.Model        { return wire.Model{ID: model} }
func (providers) Detect(context.Context) []wire.Detected { return nil }
func (providers) EnvironmentKey(string) string           { return "" }
func (providers) Cost(llm.Usage, *wire.Prices) int64     { return 0 }
func (providers) Explain(err error) *wire.Rejection      { return wire.AsRejection(err) }
func (providers) Models(context.Context, wire.ProviderInstance, string) ([]wire.Model, error) {
	return []wire.Model{{ID: "m"}}, nil
}
func (providers) Test(_ context.Context, p wire.ProviderInstance, key string) wire.ProviderTest {
	return wire.ProviderTest{OK: key != "", Message: p.BaseURL}
}

type memoryKeys map[string]string

func (m memoryKeys) Get(id string) (string, error) { return m[id], nil }
func (m memoryKeys) Set(id, key string) error      { m[id] = key; return nil }
func (m memoryKeys) Delete(id string) error        { delete(m, id); return nil }

type anyFolder struct{}

func (anyFolder) Check(path, _ string) (string, string, error) { return path, "id", nil }

// fixture is a gateway on a temporary state with the built-in Bot and a Bot "reviewer".
type fixture struct {
	*Gateway
	t        *testing.T
	store    *store.Store
	keys     memoryKeys
	reviewer *wire.Bot
}

func newFixture(t *testing.T) *fixture {
	st, err := store.Open(t.Context(), t.TempDir())
	require.NoError(t, err)
	f := &fixture{t: t, store: st, keys: memoryKeys{}}
	f.Gateway, err = Open(context.Background(), f.deps())
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, f.Close(context.Background()))
		require.NoError(t, st.Close())
	})
	f.reviewer, err = f.CreateBot(t.Context(), wire.BotDraft{Name: "Reviewer", Description: "Reviews."})
	require.NoError(t, err)
	return f
}

func (f *fixture) deps() Deps {
	return Deps{Store: f.store, Feed: feed.New(), Clock: session.SystemClock{}, Keys: f.keys, Folders: anyFolder{}, Providers: providers{}, Home: f.t.TempDir()}
}

// fake is a resident that accepts only what the update protocol may send.
type fake struct {
	Resident
	id       string
	dead     bool
	busy     bool
	seen     []int64
	failOn   map[int64]bool
	stopped  bool
	onReload func()
}

func (r *fake) ID() string                         { return r.id }
func (r *fake) Alive() bool                        { return !r.dead }
func (r *fake) UsedAt() int64                      { return 0 }
func (r *fake) Idle(context.Context) (bool, error) { return !r.busy, nil }
func (r *fake) Stop(context.Context) error         { return nil }
func (r *fake) StopIfIdle(context.Context) (bool, error) {
	r.stopped = !r.busy
	return r.stopped, nil
}
func (r *fake) Reload(_ context.Context, b wire.Bot) error {
	r.seen = append(r.seen, b.Config.Revision)
	if r.onReload != nil {
		r.onReload()
	}
	if r.failOn[b.Config.Revision] {
		return wire.Reject(wire.CodeReloadFailed, "cannot reload")
	}
	return nil
}

// reside stores a session of the reviewer and makes r its resident.
func (f *fixture) reside(r *fake) *fake {
	s, err := f.CreateSession(f.t.Context(), wire.SessionDraft{BotID: f.reviewer.ID, Workspace: "/work"})
	require.NoError(f.t, err)
	r.id = s.ID
	f.mu.Lock()
	f.residents[s.ID] = r
	f.mu.Unlock()
	return r
}

func (f *fixture) update(expected int64) (*wire.Bot, error) {
	name := "Renamed"
	return f.UpdateBot(f.t.Context(), wire.BotUpdate{ID: f.reviewer.ID, ExpectedRevision: expected, Name: &name})
}

func (f *fixture) revision() int64 {
	b, err := f.Bot(f.t.Context(), f.reviewer.ID)
	require.NoError(f.t, err)
	return b.Config.Revision
}

func TestUpdatingBotReloadsEveryResidentWithTheAuthoritativeRecord(t *testing.T) {
	f := newFixture(t)
	a, b := f.reside(&fake{}), f.reside(&fake{})
	updated, err := f.update(1)
	require.NoError(t, err)
	require.EqualValues(t, 2, updated.Config.Revision)
	stored, err := f.Bot(t.Context(), f.reviewer.ID)
	require.NoError(t, err)
	require.Equal(t, updated, stored)
	require.Equal(t, []int64{2}, a.seen)
	require.Equal(t, []int64{2}, b.seen)
}

func TestFailedBotReloadRestoresTheExactRevision(t *testing.T) {
	f := newFixture(t)
	r := f.reside(&fake{failOn: map[int64]bool{2: true}})
	_, err := f.update(1)
	require.Equal(t, wire.CodeReloadFailed, wire.CodeOf(err))
	require.Equal(t, []int64{2, 1}, r.seen)
	require.EqualValues(t, 1, f.revision())
	r.failOn = nil
	updated, err := f.update(1)
	require.NoError(t, err)
	require.EqualValues(t, 2, updated.Config.Revision)
}

func TestBotRollbackRestoresEveryRecoverableResidentAndEvictsTheFailure(t *testing.T) {
	f := newFixture(t)
	first := f.reside(&fake{})
	second := f.reside(&fake{failOn: map[int64]bool{2: true, 1: true}})
	_, err := f.update(1)
	require.Equal(t, wire.CodeGatewayError, wire.CodeOf(err))
	require.Equal(t, []int64{2, 1}, first.seen)
	require.Equal(t, []int64{2, 1}, second.seen)
	require.True(t, second.stopped)
	require.Contains(t, f.residents, first.id)
	require.NotContains(t, f.residents, second.id)
}

func TestUpdatingBotPrunesADeadResidentBeforeValidation(t *testing.T) {
	f := newFixture(t)
	f.reside(&fake{dead: true, busy: true})
	_, err := f.update(1)
	require.NoError(t, err)
	require.Empty(t, f.residents)
	require.EqualValues(t, 2, f.revision())
}

func TestBotUpdateBlocksSubmissionFromIdleProbeThroughRollback(t *testing.T) {
	f := newFixture(t)
	r := f.reside(&fake{failOn: map[int64]bool{2: true}})
	var racing []wire.Code
	r.onReload = func() {
		_, err := f.Submit(t.Context(), wire.Submission{SessionID: r.id})
		racing = append(racing, wire.CodeOf(err))
	}
	_, err := f.update(1)
	require.Equal(t, wire.CodeReloadFailed, wire.CodeOf(err))
	require.Equal(t, []wire.Code{wire.CodeGatewayBusy, wire.CodeGatewayBusy}, racing)
}

func TestABusyResidentRefusesTheUpdateAndNothingChanges(t *testing.T) {
	f := newFixture(t)
	idle, busy := f.reside(&fake{}), f.reside(&fake{busy: true})
	_, err := f.update(1)
	require.Equal(t, wire.CodeAgentBusy, wire.CodeOf(err))
	require.Empty(t, idle.seen)
	require.Empty(t, busy.seen)
	require.EqualValues(t, 1, f.revision())
}

func TestAStaleUpdateIsAConflict(t *testing.T) {
	f := newFixture(t)
	_, err := f.update(1)
	require.NoError(t, err)
	_, err = f.update(1)
	require.Equal(t, wire.CodeRevisionConflict, wire.CodeOf(err))
}

func TestHandlesAreMadeFromNames(t *testing.T) {
	bots := []wire.Bot{{ID: "1", Handle: "ana"}, {ID: "2", Handle: "ana-2"}, {ID: "3", Handle: strings.Repeat("a", 64)}}
	for name, want := range map[string]string{
		"Code Reviewer":            "code-reviewer",
		"  Ünï — c0de!! ":          "n-c0de",
		"日本":                       "bot",
		"user":                     "user-2",
		"Ana":                      "ana-3",
		strings.Repeat("a", 64):    strings.Repeat("a", 62) + "-2",
		"../../etc/passwd":         "etc-passwd",
		strings.Repeat("x y ", 40): strings.TrimRight(strings.Repeat("x-y-", 16), "-"),
	} {
		require.Equal(t, want, freeHandle(name, bots, ""), name)
	}
	require.Equal(t, "ana", freeHandle("Ana", bots, "1"), "its own handle is free to it")
}

func TestANewBotTakesTheFirstFreeTint(t *testing.T) {
	f := newFixture(t)
	require.Equal(t, "teal", f.reviewer.Tint)
	for i, want := range []string{"green", "yellow", "orange", "red", "purple", "blue"} {
		b, err := f.CreateBot(t.Context(), wire.BotDraft{Name: fmt.Sprint("Bot ", i), Description: "x"})
		require.NoError(t, err)
		require.Equal(t, want, b.Tint)
	}
}

func TestBadBotsAreRefusedByWhatIsWrong(t *testing.T) {
	f := newFixture(t)
	good := f.reviewer.Config.Config
	with := func(change func(*wire.BotConfig)) *wire.BotConfig {
		c := good
		change(&c)
		return &c
	}
	for name, test := range map[string]struct {
		draft wire.BotDraft
		code  wire.Code
	}{
		"no name":         {wire.BotDraft{Name: " ", Description: "x"}, wire.CodeInvalidBot},
		"long name":       {wire.BotDraft{Name: strings.Repeat("x", 129), Description: "x"}, wire.CodeInvalidBot},
		"no description":  {wire.BotDraft{Name: "x"}, wire.CodeInvalidBot},
		"unknown tint":    {wire.BotDraft{Name: "x", Description: "x", Tint: "pink"}, wire.CodeInvalidBot},
		"no prompt":       {wire.BotDraft{Name: "x", Description: "x", Config: with(func(c *wire.BotConfig) { c.SystemPrompt = " " })}, wire.CodeInvalidConfig},
		"long prompt":     {wire.BotDraft{Name: "x", Description: "x", Config: with(func(c *wire.BotConfig) { c.SystemPrompt = strings.Repeat("x", 64<<10+1) })}, wire.CodeInvalidConfig},
		"no steps":        {wire.BotDraft{Name: "x", Description: "x", Config: with(func(c *wire.BotConfig) { c.MaxModelSteps = -1 })}, wire.CodeInvalidConfig},
		"unknown model":   {wire.BotDraft{Name: "x", Description: "x", Config: with(func(c *wire.BotConfig) { c.Provider.Instance = "none" })}, wire.CodeInvalidConfig},
		"unknown approve": {wire.BotDraft{Name: "x", Description: "x", Config: with(func(c *wire.BotConfig) { c.Approval = "always" })}, wire.CodeInvalidConfig},
	} {
		_, err := f.CreateBot(t.Context(), test.draft)
		require.Equal(t, test.code, wire.CodeOf(err), name)
	}
}

func TestTheBuiltInBotIsSeededOnceAndNeverAgain(t *testing.T) {
	f := newFixture(t)
	list, err := f.Bots(t.Context())
	require.NoError(t, err)
	require.Equal(t, "mobius", list.Bots[0].Handle)
	_, err = f.DeleteBot(t.Context(), list.Bots[0].ID, 1)
	require.Equal(t, wire.CodeBotUndeletable, wire.CodeOf(err))
	require.NoError(t, f.store.Write(t.Context(), func(q *db.Queries) error { return q.DeleteBot(context.Background(), 1) }))
	_, err = Open(t.Context(), f.deps())
	require.ErrorContains(t, err, "built-in Bot is missing")
}

func TestDeletingABotTakesItsConversationsAndLeavesOthers(t *testing.T) {
	f := newFixture(t)
	mine, err := f.CreateSession(t.Context(), wire.SessionDraft{BotID: f.reviewer.ID, Workspace: "/work"})
	require.NoError(t, err)
	list, err := f.Bots(t.Context())
	require.NoError(t, err)
	other, err := f.CreateSession(t.Context(), wire.SessionDraft{BotID: list.Bots[0].ID, Workspace: "/work"})
	require.NoError(t, err)
	gone, err := f.DeleteBot(t.Context(), f.reviewer.ID, 1)
	require.NoError(t, err)
	require.Equal(t, []string{mine.ID}, gone.SessionIDs)
	require.Len(t, gone.Bots, 1)
	page, err := f.Sessions(t.Context(), wire.SessionQuery{})
	require.NoError(t, err)
	require.Len(t, page.Sessions, 1)
	require.Equal(t, other.ID, page.Sessions[0].ID)
}

func TestADeletionThatWasInterruptedIsFinishedBeforeServing(t *testing.T) {
	f := newFixture(t)
	_, err := f.CreateSession(t.Context(), wire.SessionDraft{BotID: f.reviewer.ID, Workspace: "/work"})
	require.NoError(t, err)
	require.NoError(t, f.store.Write(t.Context(), func(q *db.Queries) error { return q.SetBotDeletion(context.Background(), f.reviewer.ID, 1) }))
	_, err = f.CreateBot(t.Context(), wire.BotDraft{})
	require.Equal(t, wire.CodeBotDeletionRecovery, wire.CodeOf(err), "before the arguments are looked at")
	again, err := Open(t.Context(), f.deps())
	require.NoError(t, err)
	list, err := again.Bots(t.Context())
	require.NoError(t, err)
	require.Len(t, list.Bots, 1)
	require.NoError(t, again.Close(t.Context()))
}

func TestConversationsAreListedInOrderAndPaged(t *testing.T) {
	f := newFixture(t)
	var ids []string
	for range 7 {
		s, err := f.CreateSession(t.Context(), wire.SessionDraft{BotID: f.reviewer.ID, Workspace: "/work"})
		require.NoError(t, err)
		ids = append(ids, s.ID)
	}
	_, err := f.PinSession(t.Context(), ids[0], true)
	require.NoError(t, err)
	_, err = f.RenameSession(t.Context(), ids[3], "Needle in it")
	require.NoError(t, err)
	var listed []string
	cursor := ""
	for {
		page, err := f.Sessions(t.Context(), wire.SessionQuery{Limit: 2, Cursor: cursor})
		require.NoError(t, err)
		require.Equal(t, 7, page.Total)
		for _, s := range page.Sessions {
			listed = append(listed, s.ID)
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	require.Equal(t, []string{ids[0], ids[6], ids[5], ids[4], ids[3], ids[2], ids[1]}, listed)
	page, err := f.Sessions(t.Context(), wire.SessionQuery{Text: "needle"})
	require.NoError(t, err)
	require.Len(t, page.Sessions, 1)
	require.Equal(t, 1, page.Total, "the total is of what was asked for")
	page, err = f.Sessions(t.Context(), wire.SessionQuery{BotID: "another"})
	require.NoError(t, err)
	require.Zero(t, page.Total)
	_, err = f.Sessions(t.Context(), wire.SessionQuery{Cursor: "nonsense"})
	require.Equal(t, wire.CodeInvalidRequest, wire.CodeOf(err))
}

func TestTheTrashCanBeUndone(t *testing.T) {
	f := newFixture(t)
	r := f.reside(&fake{})
	_, err := f.DeleteSessions(t.Context(), []string{r.id})
	require.NoError(t, err)
	require.True(t, r.stopped)
	page, err := f.Sessions(t.Context(), wire.SessionQuery{})
	require.NoError(t, err)
	require.Empty(t, page.Sessions)
	page, err = f.Sessions(t.Context(), wire.SessionQuery{Trash: true})
	require.NoError(t, err)
	require.Len(t, page.Sessions, 1)
	page, err = f.Sessions(t.Context(), wire.SessionQuery{Trash: true, BotID: "another"})
	require.NoError(t, err)
	require.Empty(t, page.Sessions)
	_, err = f.DeleteSessions(t.Context(), []string{r.id})
	require.Equal(t, wire.CodeUnknownSession, wire.CodeOf(err))
	back, err := f.UndeleteSessions(t.Context(), []string{r.id})
	require.NoError(t, err)
	require.Equal(t, []string{r.id}, back)
	_, err = f.DeleteSessions(t.Context(), []string{r.id})
	require.NoError(t, err)
	gone, err := f.PurgeSessions(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, []string{r.id}, gone)
}

func TestABusyConversationIsNotDeletedNorAnyBesideIt(t *testing.T) {
	f := newFixture(t)
	idle, busy := f.reside(&fake{}), f.reside(&fake{busy: true})
	_, err := f.DeleteSessions(t.Context(), []string{idle.id, busy.id})
	require.Equal(t, wire.CodeAgentBusy, wire.CodeOf(err))
	require.False(t, idle.stopped)
	require.Len(t, f.residents, 2)
}

func TestAtTheLimitTheLeastRecentlyUsedIdleSessionMakesRoom(t *testing.T) {
	f := newFixture(t)
	f.Gateway.deps.Residents = 2
	busy := f.reside(&fake{busy: true})
	idle := f.reside(&fake{})
	f.load = func(_ context.Context, _ wire.Bot, row db.GetSessionRow) (Resident, error) {
		return &fake{id: row.Session.ID, busy: true}, nil
	}
	s, err := f.CreateSession(t.Context(), wire.SessionDraft{BotID: f.reviewer.ID, Workspace: "/work"})
	require.NoError(t, err)
	_, err = f.resident(t.Context(), s.ID)
	require.NoError(t, err)
	require.True(t, idle.stopped)
	require.Contains(t, f.residents, busy.id)
	_, err = f.resident(t.Context(), idle.id)
	require.Equal(t, wire.CodeSessionLimit, wire.CodeOf(err))
}

func TestKeysGoToTheKeyStoreAndNeverComeBack(t *testing.T) {
	f := newFixture(t)
	const key = "sk-canary-0123456789"
	p, err := f.SaveInstance(t.Context(), wire.ProviderDraft{Kind: "other", Key: key, BaseURL: "http://127.0.0.1:1"})
	require.NoError(t, err)
	require.Equal(t, key, f.keys[p.ID])
	require.Equal(t, "…6789", p.KeyHint)
	list, err := f.Instances(t.Context())
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprintf("%+v", list), key)

	test, err := f.TestInstance(t.Context(), wire.ProviderDraft{ID: p.ID, Kind: "other", BaseURL: "http://127.0.0.1:1"})
	require.NoError(t, err)
	require.True(t, test.OK, "the stored key is used at its own address")
	test, err = f.TestInstance(t.Context(), wire.ProviderDraft{ID: p.ID, Kind: "other", BaseURL: "http://elsewhere.example"})
	require.NoError(t, err)
	require.False(t, test.OK, "the stored key is never sent to another address")

	moved, err := f.SaveInstance(t.Context(), wire.ProviderDraft{ID: p.ID, Kind: "other", BaseURL: "http://elsewhere.example"})
	require.NoError(t, err)
	require.False(t, moved.HasKey, "a new address needs the key again")
	require.Empty(t, f.keys)
	p, err = f.SetCredential(t.Context(), p.ID, key)
	require.NoError(t, err)
	require.True(t, p.HasKey)

	cleared, err := f.SetCredential(t.Context(), p.ID, "")
	require.NoError(t, err)
	require.False(t, cleared.HasKey)
	require.Empty(t, f.keys)
}

func TestAProviderThatABotUsesIsNotRemoved(t *testing.T) {
	f := newFixture(t)
	require.Equal(t, wire.CodeProviderInUse, wire.CodeOf(f.RemoveInstance(t.Context(), "demo")))
	p, err := f.SaveInstance(t.Context(), wire.ProviderDraft{Kind: "other"})
	require.NoError(t, err)
	require.NoError(t, f.RemoveInstance(t.Context(), p.ID))
}

func TestSettingsAreGuardedByTheirRevision(t *testing.T) {
	f := newFixture(t)
	s, err := f.Settings(t.Context())
	require.NoError(t, err)
	s.Theme = "dark"
	saved, err := f.SetSettings(t.Context(), *s)
	require.NoError(t, err)
	require.Equal(t, s.Revision+1, saved.Revision)
	_, err = f.SetSettings(t.Context(), *s)
	require.Equal(t, wire.CodeRevisionConflict, wire.CodeOf(err))
	saved.Theme = "neon"
	_, err = f.SetSettings(t.Context(), *saved)
	require.Equal(t, wire.CodeInvalidRequest, wire.CodeOf(err))
}

func TestASessionThatIsStoppedForRoomWhileItIsAskedIsLoadedAgain(t *testing.T) {
	f := newFixture(t)
	evicted := f.reside(&fake{})
	loads := 0
	f.load = func(context.Context, wire.Bot, db.GetSessionRow) (Resident, error) {
		loads++
		return &answering{fake: fake{id: evicted.id}}, nil
	}
	f.residents[evicted.id] = &answering{fake: fake{id: evicted.id}, stopped: true}
	accepted, err := f.Submit(t.Context(), wire.Submission{SessionID: evicted.id})
	require.NoError(t, err)
	require.Equal(t, "started", accepted.Delivery)
	require.Equal(t, 1, loads)
}

// answering is a resident that ends while it is asked, if told so.
type answering struct {
	fake
	stopped bool
}

func (r *answering) Submit(wire.Submission) (*wire.Accepted, error) {
	if r.stopped {
		r.dead = true
		return nil, wire.RejectFatal(wire.CodeGatewayStopped, "closed")
	}
	return &wire.Accepted{Delivery: "started"}, nil
}

func TestFormerSettingsAreNotBroughtBackByASlowReader(t *testing.T) {
	f := newFixture(t)
	former, err := f.Settings(t.Context())
	require.NoError(t, err)
	changed := *former
	changed.Theme = "dark"
	_, err = f.SetSettings(t.Context(), changed)
	require.NoError(t, err)
	f.settings.set(*former) // read before the change, kept after it
	now, err := f.Settings(t.Context())
	require.NoError(t, err)
	require.Equal(t, "dark", now.Theme)
}

func TestAChangeOfALoadedSessionIsPublishedByTheSessionAlone(t *testing.T) {
	f := newFixture(t)
	r := &amended{fake: fake{}}
	f.reside(&r.fake)
	f.residents[r.id] = r
	sub := f.Gateway.deps.Feed.Subscribe("window")
	defer sub.Close()
	_, err := f.RenameSession(t.Context(), r.id, "new")
	require.NoError(t, err)
	require.True(t, r.amended)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = sub.Next(ctx)
	require.ErrorIs(t, err, context.Canceled, "a record read beside the session may be older than what it published")
}

type amended struct {
	fake
	amended bool
}

func (r *amended) Amend(context.Context, func(*wire.Session, *string)) error {
	r.amended = true
	return nil
}
