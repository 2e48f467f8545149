package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/store/db"
	"mobius/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func setting(key, value string) func(*db.Queries) error {
	return func(q *db.Queries) error {
		return q.SetSetting(context.Background(), key, 1, value)
	}
}

func TestAFreshDirectoryGetsADatabaseThatOpensAgain(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	require.NoError(t, s.Write(t.Context(), setting("a", "1")))
	require.NoError(t, s.Close())
	version, err := inspect(filepath.Join(dir, fileName))
	require.NoError(t, err)
	require.Equal(t, SchemaVersion, version)

	again := open(t, dir)
	row, err := again.Read().GetSetting(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, "1", row.Value)
	info, err := os.Stat(filepath.Join(dir, fileName))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestAFailedWriteUndoesItselfAlone(t *testing.T) {
	s := open(t, t.TempDir())
	boom := errors.New("boom")
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			err := s.Write(context.Background(), func(q *db.Queries) error {
				if err := setting(fmt.Sprint("k", i), "v")(q); err != nil {
					return err
				}
				if i%2 == 1 {
					return boom
				}
				return nil
			})
			if i%2 == 1 {
				require.ErrorIs(t, err, boom)
			} else {
				require.NoError(t, err)
			}
		})
	}
	group.Wait()
	for i := range 50 {
		_, err := s.Read().GetSetting(t.Context(), fmt.Sprint("k", i))
		require.Equal(t, i%2 == 0, err == nil, "key %d", i)
	}
}

func TestAPanicInAWriteIsAnErrorOfThatWrite(t *testing.T) {
	s := open(t, t.TempDir())
	require.ErrorContains(t, s.Write(t.Context(), func(*db.Queries) error { panic("x") }), "panicked")
	require.NoError(t, s.Write(t.Context(), setting("after", "1")))
}

func TestWritesAfterCloseAreRefusedAndEarlierOnesAreDurable(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	results := make(chan error, 20)
	for i := range 20 {
		s.WriteLater(setting(fmt.Sprint("k", i), "v"), func(err error) { results <- err })
	}
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Write(t.Context(), setting("late", "1")), ErrClosed)
	again := open(t, dir)
	for i := range 20 {
		require.NoError(t, <-results)
		_, err := again.Read().GetSetting(t.Context(), fmt.Sprint("k", i))
		require.NoError(t, err)
	}
}

func TestTheLockNamesItsOwner(t *testing.T) {
	dir := t.TempDir()
	lock, err := LockDir(dir, "serve")
	require.NoError(t, err)
	_, err = LockDir(dir, "desktop")
	var locked *LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, os.Getpid(), locked.Owner.PID)
	require.Equal(t, "serve", locked.Owner.Shell)
	require.Equal(t, wire.CodeStateLocked, wire.CodeOf(Reject(err)))
	require.NoError(t, lock.Release())
	lock, err = LockDir(dir, "desktop")
	require.NoError(t, err)
	require.NoError(t, lock.Release())
}

func patchHeader(t *testing.T, path string, offset int, value uint32) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	binary.BigEndian.PutUint32(content[offset:], value)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return content
}

func TestNewerForeignAndDamagedDatabasesAreRefusedUntouched(t *testing.T) {
	for name, test := range map[string]struct {
		damage func(t *testing.T, path string) []byte
		want   error
		code   wire.Code
	}{
		"newer":   {func(t *testing.T, p string) []byte { return patchHeader(t, p, 60, SchemaVersion+1) }, ErrNewer, wire.CodeStateNewer},
		"foreign": {func(t *testing.T, p string) []byte { return patchHeader(t, p, 68, 0) }, ErrForeign, wire.CodeStateForeign},
		"no database": {func(t *testing.T, p string) []byte {
			b := []byte("this is somebody's letter, longer than a header would be, so that it is read as a whole and then refused")
			require.NoError(t, os.WriteFile(p, b, 0o600))
			return b
		}, ErrDamaged, wire.CodeStorageDamaged},
		"empty": {func(t *testing.T, p string) []byte {
			require.NoError(t, os.WriteFile(p, nil, 0o600))
			return []byte{}
		}, ErrDamaged, wire.CodeStorageDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, open(t, dir).Close())
			path := filepath.Join(dir, fileName)
			before := test.damage(t, path)
			_, err := Open(t.Context(), dir)
			require.ErrorIs(t, err, test.want)
			require.Equal(t, test.code, wire.CodeOf(Reject(err)))
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, before, after)
		})
	}
}

// fill makes a database with Bots, sessions and events worth salvaging.
func fill(t *testing.T, s *Store, sessions, events int) {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, s.Write(ctx, func(q *db.Queries) error {
		bot, err := q.InsertBot(ctx, db.InsertBotParams{ID: "b", Handle: "b", Name: "b", Description: "b", Tint: "blue", Revision: 1})
		if err != nil {
			return err
		}
		if err := q.InsertBotRevision(ctx, db.InsertBotRevisionParams{Bot: bot, Revision: 1, Config: "{}"}); err != nil {
			return err
		}
		for i := range sessions {
			n, err := q.InsertSession(ctx, db.InsertSessionParams{ID: fmt.Sprint("s", i), Bot: bot, Workspace: "/w"})
			if err != nil {
				return err
			}
			for seq := range int64(events) {
				text := fmt.Sprintf(`{"message":{"text":"message %d of %d, long enough to fill a page before too many rows went by"}}`, seq, i)
				if err := q.AppendEvent(ctx, db.AppendEventParams{ID: n<<32 + seq + 1, Kind: "turn.started", Turn: seq + 1, Data: text}); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

func TestRestoreBringsTheLastBackupAndKeepsTheDamagedFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	fill(t, s, 3, 10)
	now := time.Now()
	require.NoError(t, s.BackUpIfDue(t.Context(), now))
	require.NoError(t, s.BackUpIfDue(t.Context(), now.Add(time.Hour)))
	require.NoError(t, s.Close())
	list, err := Backups(dir)
	require.NoError(t, err)
	require.Len(t, list, 1, "one a day")

	path := filepath.Join(dir, fileName)
	require.NoError(t, os.WriteFile(path, make([]byte, 4096), 0o600))
	_, err = Open(t.Context(), dir)
	require.ErrorIs(t, err, ErrDamaged)
	kept, err := Restore(t.Context(), dir, list[0].Path, now)
	require.NoError(t, err)
	require.FileExists(t, kept)
	again := open(t, dir)
	n, err := again.Read().CountSessions(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
}

func TestBackupsArePrunedToAWeek(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	now := time.Now()
	for day := range 12 {
		require.NoError(t, s.BackUpIfDue(t.Context(), now.Add(time.Duration(day)*25*time.Hour)))
	}
	list, err := Backups(dir)
	require.NoError(t, err)
	require.Len(t, list, backupsKept)
}

func TestSalvageKeepsWhatCanBeReadAndLeavesNoGap(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	fill(t, s, 20, 60)
	require.NoError(t, s.Close())
	path := filepath.Join(dir, fileName)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for page := len(content) / 2 / pageSize; page < len(content)/2/pageSize+3; page++ {
		copy(content[page*pageSize:], make([]byte, pageSize))
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))

	result, err := Salvage(t.Context(), dir, time.Now())
	require.NoError(t, err)
	require.FileExists(t, result.KeptAs)
	require.Positive(t, result.Lost)
	again := open(t, dir)
	check, err := again.QuickCheck(t.Context())
	require.NoError(t, err)
	require.Equal(t, "ok", check)
	var sessions, events, gaps int
	require.NoError(t, again.Reader().QueryRow("SELECT count(*), coalesce(sum(last_seq), 0) FROM sessions").Scan(&sessions, &events))
	require.Equal(t, 20, sessions)
	require.Greater(t, events, 20*60*8/10)
	require.NoError(t, again.Reader().QueryRow(`SELECT count(*) FROM sessions s WHERE last_seq <>
		(SELECT count(*) FROM events e WHERE e.id > s.n << 32 AND e.id < (s.n + 1) << 32)`).Scan(&gaps))
	require.Zero(t, gaps)
}

func TestAReadOnlyDirectoryIsSaidPlainly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the super-user writes anywhere")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o500))
	_, err := Open(t.Context(), dir)
	require.Equal(t, wire.CodeStorageReadOnly, wire.CodeOf(Reject(err)))
}

func TestAWriteThatMakesSQLiteUndoTheTransactionUndoesItsGroupAndSaysSo(t *testing.T) {
	s := open(t, t.TempDir())
	hold, held := make(chan struct{}), make(chan struct{})
	results := make(chan error, 4)
	done := func(err error) { results <- err }
	s.WriteLater(func(*db.Queries) error { close(held); <-hold; return nil }, done)
	<-held
	// These three wait together, so one commit takes them. The second loses the transaction as a full disk may.
	s.WriteLater(setting("before", "1"), done)
	s.WriteLater(func(*db.Queries) error {
		if _, err := s.conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			return err
		}
		return errors.New("disk full")
	}, done)
	s.WriteLater(setting("after", "1"), done)
	close(hold)
	require.NoError(t, <-results)
	for range 3 {
		require.ErrorContains(t, <-results, "disk full")
	}
	for _, key := range []string{"before", "after"} {
		_, err := s.Read().GetSetting(t.Context(), key)
		require.Error(t, err, "%s was reported as failed", key)
	}
	require.NoError(t, s.Write(t.Context(), setting("later", "1")))
}

func TestWhatACrashLeftOfAFirstStartIsRemoved(t *testing.T) {
	dir := t.TempDir()
	next := filepath.Join(dir, fileName+".new")
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		require.NoError(t, os.WriteFile(next+suffix, []byte("cut"), 0o600))
	}
	open(t, dir)
	left, err := filepath.Glob(next + "*")
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestASalvageThatFindsNothingChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	before := make([]byte, 8192)
	require.NoError(t, os.WriteFile(path, before, 0o600))
	_, err := Salvage(t.Context(), dir, time.Now())
	require.ErrorIs(t, err, ErrDamaged)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after, "the person can still restore a backup")
	require.NoFileExists(t, path+".new")
}

func TestARescueThatWasInterruptedIsFinishedAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	fill(t, s, 2, 3)
	require.NoError(t, s.BackUpIfDue(t.Context(), time.Now()))
	require.NoError(t, s.Close())
	list, err := Backups(dir)
	require.NoError(t, err)
	require.NoError(t, backupFile(t.Context(), list[0].Path, filepath.Join(dir, rescuedName)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, fileName), make([]byte, 4096), 0o600))
	again := open(t, dir)
	n, err := again.Read().CountSessions(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	require.NoFileExists(t, filepath.Join(dir, rescuedName))
}

func TestDamageThatACheckFoundIsShownAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	fill(t, s, 20, 60)
	require.NoError(t, s.Close())
	path := filepath.Join(dir, fileName)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	copy(content[len(content)/2/pageSize*pageSize:], make([]byte, 3*pageSize))
	require.NoError(t, os.WriteFile(path, content, 0o600))
	s = open(t, dir)
	require.ErrorIs(t, s.BackUpIfDue(t.Context(), time.Now()), ErrDamaged)
	require.NoError(t, s.Close())
	_, err = Open(t.Context(), dir)
	require.ErrorIs(t, err, ErrDamaged)
	_, err = Salvage(t.Context(), dir, time.Now())
	require.NoError(t, err)
	require.NoError(t, open(t, dir).Close())
}
