package api

import (
	"context"
	"log/slog"
	"time"

	"mobius/backend/gateway"
	"mobius/backend/store"
	"mobius/backend/wire"
)

// Workspace answers questions about folders.
type Workspace struct{ host *Host }

// Info describes a folder.
func (s *Workspace) Info(path string) (*wire.WorkspaceInfo, error) {
	info := s.host.Folders.Info(path)
	return &info, nil
}

// Recent lists the folders of recent conversations.
func (s *Workspace) Recent() ([]wire.WorkspaceInfo, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) ([]wire.WorkspaceInfo, error) {
		paths, err := g.RecentFolders(ctx, recentShown)
		list := make([]wire.WorkspaceInfo, len(paths))
		for i, p := range paths {
			list[i] = s.host.Folders.Info(p)
		}
		return list, err
	})
}

// Folders lists the folders inside one, for choosing a workspace in a browser; "" is the home folder.
func (s *Workspace) Folders(path string) (*wire.FolderListing, error) {
	list, err := s.host.Folders.Folders(path)
	return list, reject(err)
}

// Files finds files of a session's folder whose path matches what was typed, best first.
func (s *Workspace) Files(sessionID, query string) ([]wire.FileMatch, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) ([]wire.FileMatch, error) {
		row, err := g.Session(ctx, sessionID)
		if err != nil {
			return nil, err
		}
		return s.host.Folders.Find(ctx, row.Workspace, query, filesShown)
	})
}

// System answers questions about the program itself.
type System struct{ host *Host }

// Info says what runs and where its data lives.
func (s *System) Info() (*wire.SystemInfo, error) {
	info := s.host.Info
	info.KeyStore = s.host.KeyStore()
	return &info, nil
}

// Doctor runs all checks.
func (s *System) Doctor() (*wire.DoctorReport, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	report := s.host.Doctor(ctx)
	return &report, nil
}

// Watch limits the session events that a client gets to the given sessions; client is the id it connected with. Catalog
// changes always come.
func (s *System) Watch(client string, sessionIDs []string) error {
	if len(client) > 128 || len(sessionIDs) > 1000 {
		return wire.Reject(wire.CodeInvalidRequest, "A client watches at most 1,000 conversations.")
	}
	s.host.Feed.Watch(client, sessionIDs)
	return nil
}

// Painted is called by a page once it has been drawn. The log then tells how long a start took.
func (s *System) Painted() error {
	slog.Info("page painted", "shell", s.host.Info.Shell)
	return nil
}

// Rescue is what works when the database cannot be opened.
type Rescue struct{ host *Host }

// Status tells whether a rescue is needed, and why.
func (s *Rescue) Status() (*wire.RescueStatus, error) {
	out := &wire.RescueStatus{Backups: []wire.BackupFile{}}
	_, err := s.host.Gateway()
	if err == nil {
		return out, nil
	}
	out.Needed, out.Reason = true, wire.AsRejection(err)
	list, err := store.Backups(s.host.Info.StateDir)
	if err != nil {
		return nil, reject(err)
	}
	for _, b := range list {
		out.Backups = append(out.Backups, wire.BackupFile{Path: b.Path, Reason: b.Reason, At: b.At, Bytes: b.Bytes})
	}
	return out, nil
}

// Restore puts a backup in the damaged database's place, which is kept under another name.
func (s *Rescue) Restore(backup string) (*wire.RescueResult, error) {
	return s.rescue(func(ctx context.Context, dir string, now time.Time) (*wire.RescueResult, error) {
		kept, err := store.Restore(ctx, dir, backup, now)
		return &wire.RescueResult{KeptAs: kept}, err
	})
}

// Salvage copies what can be read into a new database; the damaged one is kept under another name.
func (s *Rescue) Salvage() (*wire.RescueResult, error) {
	return s.rescue(func(ctx context.Context, dir string, now time.Time) (*wire.RescueResult, error) {
		r, err := store.Salvage(ctx, dir, now)
		if err != nil {
			return nil, err
		}
		return &wire.RescueResult{KeptAs: r.KeptAs, Rows: r.Rows, Lost: r.Lost}, nil
	})
}

// StartFresh begins with an empty database; the damaged one is kept under another name.
func (s *Rescue) StartFresh() (*wire.RescueResult, error) {
	return s.rescue(func(_ context.Context, dir string, now time.Time) (*wire.RescueResult, error) {
		kept, err := store.SetAside(dir, now)
		return &wire.RescueResult{KeptAs: kept}, err
	})
}

// rescue does one of the three, only while the database cannot be used, and opens the gateway after it.
func (s *Rescue) rescue(fn func(ctx context.Context, dir string, now time.Time) (*wire.RescueResult, error)) (*wire.RescueResult, error) {
	s.host.rescuing.Lock()
	defer s.host.rescuing.Unlock()
	_, failure := s.host.Gateway()
	if wire.CodeOf(failure) != wire.CodeStorageDamaged {
		return nil, wire.Reject(wire.CodeInvalidRequest, "The database is not damaged; nothing was changed.")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*callLimit)
	defer cancel()
	result, err := fn(ctx, s.host.Info.StateDir, time.Now())
	if err != nil {
		return nil, reject(err)
	}
	g, err := s.host.Reopen(ctx)
	if err != nil {
		s.host.Fail(err)
		return nil, reject(err)
	}
	s.host.Use(g)
	return result, nil
}
