package engine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/feed"
	"mobius/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, dir string) *Engine {
	t.Helper()
	t.Setenv("MOBIUS_KEYS", "file")
	e, err := Open(t.Context(), Options{StateDir: dir, Shell: "test", Version: "0"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// fast makes the built-in Bot use the offline model without pauses.
func fast(t *testing.T, e *Engine) wire.Bot {
	t.Helper()
	list, err := e.Services.Bots.List()
	require.NoError(t, err)
	bot := list.Bots[0]
	bot.Config.Config.Provider.Model = "demo-fast"
	updated, err := e.Services.Bots.Update(wire.BotUpdate{ID: bot.ID, ExpectedRevision: bot.Config.Revision, Config: &bot.Config.Config})
	require.NoError(t, err)
	return *updated
}

// follow reads batches until an event of this kind comes, and gives everything of the session until then.
func follow(t *testing.T, s *feed.Subscription, kind wire.EventKind) (events []wire.Event, frames []wire.Frame) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		batch, err := s.Next(ctx)
		require.NoError(t, err)
		var list []wire.Envelope
		require.NoError(t, json.Unmarshal(batch, &list))
		done := false
		for _, e := range list {
			if e.Event != nil {
				events = append(events, *e.Event)
				done = done || e.Event.Kind == kind
			}
			if e.Frame != nil {
				frames = append(frames, *e.Frame)
			}
		}
		if done {
			return events, frames
		}
	}
}

func say(t *testing.T, e *Engine, session, text string) *wire.Accepted {
	t.Helper()
	a, err := e.Services.Sessions.Submit(wire.Submission{SessionID: session, ID: uuid.NewString(), Message: &wire.Message{Text: text}})
	require.NoError(t, err)
	return a
}

func TestAConversationStreamsCallsToolsAndSurvivesARestart(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "README.md"), []byte("# Hello\nfrom the folder\n"), 0o644))
	e := start(t, dir)
	bot := fast(t, e)
	s, err := e.Services.Sessions.Create(wire.SessionDraft{BotID: bot.ID, Workspace: folder})
	require.NoError(t, err)
	sub := e.Feed.Subscribe("test")
	say(t, e, s.ID, "read README.md")
	events, frames := follow(t, sub, wire.EventTurnCompleted)
	sub.Close()
	require.NotEmpty(t, frames)
	for i, f := range frames {
		require.EqualValues(t, i+1, f.N)
	}
	var kinds []wire.EventKind
	for i, ev := range events {
		require.EqualValues(t, i+1, ev.Seq)
		kinds = append(kinds, ev.Kind)
	}
	require.Equal(t, []wire.EventKind{wire.EventTurnStarted, wire.EventStepCompleted, wire.EventToolCompleted, wire.EventStepCompleted, wire.EventTurnCompleted}, kinds)
	require.Contains(t, events[2].Tool.Output, "from the folder")
	require.Equal(t, wire.OutcomeCompleted, events[4].Outcome.Status)
	require.NoError(t, e.Close())

	again := start(t, dir)
	open, err := again.Services.Sessions.Open(wire.OpenRequest{ID: s.ID})
	require.NoError(t, err)
	require.Len(t, open.Page.Events, len(events))
	for i, e := range open.Page.Events {
		decoded, err := e.Decoded()
		require.NoError(t, err)
		require.Equal(t, events[i], decoded)
	}
	require.NotEmpty(t, open.Session.Title)
	sub = again.Feed.Subscribe("test")
	defer sub.Close()
	say(t, again, s.ID, "say 3")
	events, _ = follow(t, sub, wire.EventTurnCompleted)
	require.Equal(t, "word 1 word 2 word 3 ", events[1].Step.Blocks[0].Text)
}

func TestTheSameSubmissionIsAcceptedOnce(t *testing.T) {
	e := start(t, t.TempDir())
	bot := fast(t, e)
	s, err := e.Services.Sessions.Create(wire.SessionDraft{BotID: bot.ID, Workspace: t.TempDir()})
	require.NoError(t, err)
	sub := e.Feed.Subscribe("test")
	defer sub.Close()
	once := wire.Submission{SessionID: s.ID, ID: uuid.NewString(), Message: &wire.Message{Text: "say 1"}}
	first, err := e.Services.Sessions.Submit(once)
	require.NoError(t, err)
	follow(t, sub, wire.EventTurnCompleted)
	second, err := e.Services.Sessions.Submit(once)
	require.NoError(t, err)
	require.Equal(t, first, second)
	open, err := e.Services.Sessions.Open(wire.OpenRequest{ID: s.ID})
	require.NoError(t, err)
	require.Len(t, open.Page.Events, 3)
}

func TestASecondStartIsRefusedWithTheOwner(t *testing.T) {
	dir := t.TempDir()
	start(t, dir)
	_, err := Open(t.Context(), Options{StateDir: dir, Shell: "other"})
	require.Equal(t, wire.CodeStateLocked, wire.CodeOf(err))
	require.ErrorContains(t, err, "test")
}

func TestADamagedDatabaseIsRescuedFromItsBackup(t *testing.T) {
	dir := t.TempDir()
	e := start(t, dir)
	bot := fast(t, e)
	_, err := e.Services.Sessions.Create(wire.SessionDraft{BotID: bot.ID, Workspace: t.TempDir()})
	require.NoError(t, err)
	require.NoError(t, e.store.BackUpIfDue(t.Context(), time.Now().Add(25*time.Hour)))
	require.NoError(t, e.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mobius.db"), []byte(strings.Repeat("broken ", 4096)), 0o600))

	hurt := start(t, dir)
	_, err = hurt.Services.Bots.List()
	require.Equal(t, wire.CodeStorageDamaged, wire.CodeOf(err))
	status, err := hurt.Services.Rescue.Status()
	require.NoError(t, err)
	require.True(t, status.Needed)
	require.NotEmpty(t, status.Backups)
	result, err := hurt.Services.Rescue.Restore(status.Backups[0].Path)
	require.NoError(t, err)
	require.FileExists(t, result.KeptAs)
	page, err := hurt.Services.Sessions.List(wire.SessionQuery{})
	require.NoError(t, err)
	require.Len(t, page.Sessions, 1)
}

func TestTwoRescuesAtOnceKeepWhatTheFirstMade(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir)
	require.NoError(t, first.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mobius.db"), make([]byte, 4096), 0o600))
	hurt := start(t, dir)
	results := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := hurt.Services.Rescue.StartFresh()
			results <- err
		}()
	}
	one, two := <-results, <-results
	if one != nil {
		one, two = two, one
	}
	require.NoError(t, one)
	require.Equal(t, wire.CodeInvalidRequest, wire.CodeOf(two))
	require.FileExists(t, filepath.Join(dir, "mobius.db"))
	kept, err := filepath.Glob(filepath.Join(dir, "mobius-damaged-*.db"))
	require.NoError(t, err)
	require.Len(t, kept, 1)
}
