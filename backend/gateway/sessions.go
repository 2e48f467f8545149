package gateway

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"mobius/backend/session"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

const (
	defaultPage  = 100
	maxPage      = 1000
	maxBatch     = 1000
	trashListed  = 1000
	defaultSpace = "Mobius" // the default workspace inside the home folder
)

func nullable(n int64) sql.NullInt64 { return sql.NullInt64{Int64: n, Valid: true} }

// Sessions lists conversations: pinned first, then updated descending, then the newest.
func (g *Gateway) Sessions(ctx context.Context, query wire.SessionQuery) (*wire.SessionPage, error) {
	if err := g.pending(ctx); err != nil {
		return nil, err
	}
	limit := query.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	limit = min(limit, maxPage)
	page := &wire.SessionPage{Revision: g.revision.Load(), Sessions: []wire.Session{}}
	if query.Trash {
		return page, g.listTrash(ctx, query.BotID, page)
	}
	pinned, updated, n, err := decodeCursor(query.Cursor)
	if err != nil {
		return nil, err
	}
	var last db.Session
	add := func(s db.Session, bot string, queued int64) {
		if len(page.Sessions) == limit {
			page.Next = encodeCursor(last)
			return
		}
		last = s
		page.Sessions = append(page.Sessions, session.Record(s, bot, queued))
	}
	count := g.deps.Store.Read().CountSessions // by its index alone, which matters: it is what every start asks
	if query.BotID == "" && query.Workspace == "" && query.Text == "" {
		rows, err := g.deps.Store.Read().ListSessions(ctx, db.ListSessionsParams{Pinned: pinned, UpdatedAt: updated, N: n, Max: int64(limit + 1)})
		if err != nil {
			return nil, fmt.Errorf("list the conversations: %w", err)
		}
		for _, r := range rows {
			add(r.Session, r.BotID, r.Queued)
		}
	} else {
		count = func(ctx context.Context) (int64, error) {
			return g.deps.Store.Read().CountFilteredSessions(ctx, query.BotID, query.Workspace, query.Text)
		}
		rows, err := g.deps.Store.Read().FilterSessions(ctx, db.FilterSessionsParams{
			Pinned: pinned, UpdatedAt: updated, N: n, Bot: query.BotID, Workspace: query.Workspace, Text: query.Text, Max: int64(limit + 1),
		})
		if err != nil {
			return nil, fmt.Errorf("list the conversations: %w", err)
		}
		for _, r := range rows {
			add(r.Session, r.BotID, r.Queued)
		}
	}
	total, err := count(ctx)
	page.Total = int(total)
	return page, err
}

func encodeCursor(s db.Session) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d.%d", s.Pinned, s.UpdatedAt, s.N))
}

func decodeCursor(cursor string) (pinned, updated, n int64, err error) {
	if cursor == "" {
		return 2, math.MaxInt64, math.MaxInt64, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		_, err = fmt.Sscanf(string(text), "%d.%d.%d", &pinned, &updated, &n)
	}
	if err != nil {
		return 0, 0, 0, wire.Reject(wire.CodeInvalidRequest, "The cursor is not one of this list.")
	}
	return pinned, updated, n, nil
}

// CreateSession makes a conversation of a Bot in a folder.
func (g *Gateway) CreateSession(ctx context.Context, draft wire.SessionDraft) (*wire.Session, error) {
	if err := g.pending(ctx); err != nil {
		return nil, err
	}
	var made *wire.Session
	err := g.shared(ctx, func() error {
		_, n, err := g.botRow(ctx, draft.BotID)
		if err != nil {
			return err
		}
		folder, identity, err := g.workspace(ctx, draft.Workspace)
		if err != nil {
			return err
		}
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make an id: %w", err)
		}
		now := g.now()
		err = g.deps.Store.Write(ctx, func(q *db.Queries) error {
			_, err := q.InsertSession(ctx, db.InsertSessionParams{ID: id.String(), Bot: n, Workspace: folder, WorkspaceID: identity, CreatedAt: now, UpdatedAt: now})
			return err
		})
		if err != nil {
			return fmt.Errorf("save the conversation: %w", err)
		}
		made, err = g.session(ctx, id.String())
		return err
	})
	if err != nil {
		return nil, err
	}
	g.sessionChanged(*made)
	return made, nil
}

// workspace judges the chosen folder; none chosen is the default folder, which is made when it is first needed.
func (g *Gateway) workspace(ctx context.Context, path string) (clean, identity string, err error) {
	if path == "" {
		settings, err := g.Settings(ctx)
		if err != nil {
			return "", "", err
		}
		if path = settings.DefaultFolder; path == "" {
			path = filepath.Join(g.deps.Home, defaultSpace)
		}
		if err := os.MkdirAll(path, 0o755); err != nil {
			return "", "", wire.Reject(wire.CodeInvalidWorkspace, "The default folder %s cannot be made: %v. Choose another one in the settings.", path, err)
		}
	}
	return g.deps.Folders.Check(path, g.deps.Store.Dir)
}

func (g *Gateway) session(ctx context.Context, id string) (*wire.Session, error) {
	row, err := g.deps.Store.Read().GetSession(ctx, id)
	if missing(err) {
		return nil, wire.Reject(wire.CodeUnknownSession, "This conversation does not exist any more.")
	}
	if err != nil {
		return nil, fmt.Errorf("read the conversation: %w", err)
	}
	s := session.Record(row.Session, row.BotID, row.Queued)
	return &s, nil
}

// Session gives a conversation's record without loading it.
func (g *Gateway) Session(ctx context.Context, id string) (*wire.Session, error) {
	return g.session(ctx, id)
}

// OpenSession loads a conversation and gives its newest page, or what came after a cursor.
func (g *Gateway) OpenSession(ctx context.Context, req wire.OpenRequest) (*wire.OpenSession, error) {
	if err := g.pending(ctx); err != nil {
		return nil, err
	}
	var open *wire.OpenSession
	err := g.shared(ctx, func() error {
		var snap *session.Snapshot
		err := g.onResident(ctx, req.ID, func(r Resident) (err error) {
			snap, err = r.Snapshot(ctx)
			return err
		})
		if err != nil {
			return err
		}
		open = &wire.OpenSession{Session: snap.Session, Queue: snap.Queue, Live: snap.Live}
		var page *wire.EventPage
		if req.After != nil {
			page, err = session.After(ctx, g.deps.Store, snap.N, *req.After, snap.Session.LastSeq)
		} else {
			page, err = session.NewestPage(ctx, g.deps.Store, snap.N, snap.Session.LastSeq, req.Turns)
		}
		if err != nil {
			return replay(err)
		}
		open.Page = *page
		return nil
	})
	return open, err
}

func replay(err error) error {
	if errors.Is(err, session.ErrReplayUnavailable) {
		return wire.Reject(wire.CodeReplayUnavailable, "That part of the conversation cannot be continued from there. Open it again.")
	}
	return err
}

// History gives the page of whole turns before a sequence.
func (g *Gateway) History(ctx context.Context, req wire.HistoryRequest) (*wire.EventPage, error) {
	if err := g.pending(ctx); err != nil {
		return nil, err
	}
	row, err := g.deps.Store.Read().GetSession(ctx, req.ID)
	if missing(err) {
		return nil, wire.Reject(wire.CodeUnknownSession, "This conversation does not exist any more.")
	}
	if err != nil {
		return nil, err
	}
	page, err := session.PageBefore(ctx, g.deps.Store, row.Session.N, req.Before, row.Session.LastSeq, req.Turns)
	if err != nil {
		return nil, replay(err)
	}
	return page, nil
}

// Submit hands a command to a conversation. It never waits for the gate.
func (g *Gateway) Submit(ctx context.Context, sub wire.Submission) (*wire.Accepted, error) {
	if !g.gate.tryRLock() {
		return nil, wire.Reject(wire.CodeGatewayBusy, "A change is being made right now. Try again in a moment.")
	}
	defer g.gate.runlock()
	if err := g.pending(ctx); err != nil {
		return nil, err
	}
	var accepted *wire.Accepted
	err := g.onResident(ctx, sub.SessionID, func(r Resident) (err error) {
		accepted, err = r.Submit(sub)
		return err
	})
	return accepted, err
}

// RenameSession sets a title; the model never replaces it.
func (g *Gateway) RenameSession(ctx context.Context, id, title string) (*wire.Session, error) {
	title = strings.TrimSpace(title)
	if title == "" || len(title) > session.MaxTitle || !utf8.ValidString(title) {
		return nil, wire.Reject(wire.CodeInvalidRequest, "A title has 1 to %d bytes.", session.MaxTitle)
	}
	return g.amendRow(ctx, id, func(q *db.Queries) (int64, error) { return q.RenameSession(ctx, title, session.TitleUser, id) },
		func(row *wire.Session, source *string) { row.Title, *source = title, session.TitleUser })
}

// PinSession sets or clears the pin.
func (g *Gateway) PinSession(ctx context.Context, id string, pinned bool) (*wire.Session, error) {
	value := int64(0)
	if pinned {
		value = 1
	}
	return g.amendRow(ctx, id, func(q *db.Queries) (int64, error) { return q.PinSession(ctx, value, id) },
		func(row *wire.Session, _ *string) { row.Pinned = pinned })
}

// RelinkSession binds a conversation to another folder.
func (g *Gateway) RelinkSession(ctx context.Context, id, path string) (*wire.Session, error) {
	folder, identity, err := g.deps.Folders.Check(path, g.deps.Store.Dir)
	if err != nil {
		return nil, err
	}
	return g.amendRow(ctx, id, func(q *db.Queries) (int64, error) { return q.RelinkSession(ctx, folder, identity, id) },
		func(row *wire.Session, _ *string) { row.Workspace = folder })
}

// amendRow changes single fields of a session's row, so that changes of different fields made at once both survive.
func (g *Gateway) amendRow(ctx context.Context, id string, write func(*db.Queries) (int64, error), change func(*wire.Session, *string)) (*wire.Session, error) {
	if err := g.pending(ctx); err != nil {
		return nil, err
	}
	var row *wire.Session
	err := g.shared(ctx, func() error {
		changed := int64(0)
		err := g.deps.Store.Write(ctx, func(q *db.Queries) (err error) {
			changed, err = write(q)
			return err
		})
		if err != nil {
			return err
		}
		if changed == 0 {
			return wire.Reject(wire.CodeUnknownSession, "This conversation does not exist any more.")
		}
		if err := g.amend(ctx, id, change); err != nil {
			return err
		}
		row, err = g.session(ctx, id)
		return err
	})
	return row, err
}

// RecentFolders gives the folders of recent conversations, newest first.
func (g *Gateway) RecentFolders(ctx context.Context, limit int64) ([]string, error) {
	rows, err := g.deps.Store.Read().ListRecentWorkspaces(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("list recent folders: %w", err)
	}
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.Workspace
	}
	return list, nil
}
