-- +goose Up

-- Bots: identity here, every revision of the configuration in bot_revisions.
CREATE TABLE bots (
    n           INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    handle      TEXT    NOT NULL UNIQUE,
    name        TEXT    NOT NULL,
    description TEXT    NOT NULL,
    tint        TEXT    NOT NULL,
    builtin     INTEGER NOT NULL DEFAULT 0,
    revision    INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
);

CREATE TABLE bot_revisions (
    bot      INTEGER NOT NULL REFERENCES bots (n) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    config   TEXT    NOT NULL, -- JSON, wire.BotConfig
    PRIMARY KEY (bot, revision)
) WITHOUT ROWID;

CREATE TABLE bot_defaults (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    revision INTEGER NOT NULL,
    config   TEXT    NOT NULL
);

-- One row a conversation: what lists show, and the checkpoint of its actor (last_seq, open_turn, epoch).
CREATE TABLE sessions (
    n            INTEGER PRIMARY KEY,
    id           TEXT    NOT NULL UNIQUE,
    bot          INTEGER NOT NULL REFERENCES bots (n),
    workspace    TEXT    NOT NULL,
    workspace_id TEXT    NOT NULL DEFAULT '', -- identity of the folder, to recognise it after a move
    parent       INTEGER REFERENCES sessions (n),
    parent_seq   INTEGER NOT NULL DEFAULT 0,
    title        TEXT    NOT NULL DEFAULT '',
    title_source TEXT    NOT NULL DEFAULT '', -- '', fallback, model, user
    pinned       INTEGER NOT NULL DEFAULT 0,
    hidden       INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    deleted_at   INTEGER NOT NULL DEFAULT 0,  -- in the trash since; 0 = live
    last_seq     INTEGER NOT NULL DEFAULT 0,
    open_turn    INTEGER NOT NULL DEFAULT 0,  -- seq of the turn.started of a turn that has not ended
    activity     TEXT    NOT NULL DEFAULT 'idle',
    last_outcome TEXT    NOT NULL DEFAULT '',
    last_message TEXT    NOT NULL DEFAULT '',
    input        INTEGER NOT NULL DEFAULT 0,
    output       INTEGER NOT NULL DEFAULT 0,
    cache_read   INTEGER NOT NULL DEFAULT 0,
    cache_write  INTEGER NOT NULL DEFAULT 0,
    cost_micros  INTEGER NOT NULL DEFAULT 0,
    context      INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX sessions_list ON sessions (pinned DESC, updated_at DESC, n DESC) WHERE hidden = 0 AND deleted_at = 0;
CREATE INDEX sessions_trash ON sessions (deleted_at) WHERE deleted_at > 0;
CREATE INDEX sessions_bot ON sessions (bot);
CREATE INDEX sessions_parent ON sessions (parent) WHERE parent IS NOT NULL;

-- The journal. id = session * 2^32 + seq keeps a session's events together in one plain b-tree: appending touches one
-- page, a page of history is one range, and long texts do not leave half-empty overflow pages as in a WITHOUT ROWID table.
-- meta holds what a provider wants back with the next request; it never leaves the engine.
CREATE TABLE events (
    id   INTEGER PRIMARY KEY,
    at   INTEGER NOT NULL,
    kind TEXT    NOT NULL,
    turn INTEGER NOT NULL,
    data TEXT    NOT NULL, -- JSON, wire.Event without seq, at, kind and turn_id
    meta TEXT
);

-- Where the model's context of a session begins: after the newest row's start_seq, with head (a summary) before it.
-- Rows are appended, so a long session's save does not grow with its length.
CREATE TABLE context (
    session   INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    epoch     INTEGER NOT NULL,
    start_seq INTEGER NOT NULL,
    head      TEXT    NOT NULL,
    PRIMARY KEY (session, epoch)
) WITHOUT ROWID;

-- Submission ids that were accepted, with the answer that was given.
CREATE TABLE submissions (
    session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    id      TEXT    NOT NULL,
    answer  TEXT    NOT NULL, -- delivery and seq, as "started 12"
    PRIMARY KEY (session, id)
) WITHOUT ROWID;

-- Messages that wait for the running turn to end, in order of position.
CREATE TABLE queue (
    session  INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id       TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    message  TEXT    NOT NULL, -- JSON, wire.Message
    PRIMARY KEY (session, position)
) WITHOUT ROWID;

-- What the running step has streamed, appended while it grows and removed when the step is journaled.
CREATE TABLE partials (
    session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    n       INTEGER NOT NULL,
    step    INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    deltas  TEXT    NOT NULL, -- JSON, []wire.Delta
    PRIMARY KEY (session, n)
) WITHOUT ROWID;

-- One row a model request.
CREATE TABLE usage (
    n           INTEGER PRIMARY KEY,
    at          INTEGER NOT NULL,
    session     INTEGER NOT NULL,
    bot         INTEGER NOT NULL,
    provider    TEXT    NOT NULL,
    model       TEXT    NOT NULL,
    purpose     TEXT    NOT NULL, -- turn, title
    input       INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cost_micros INTEGER NOT NULL
);

-- Configured providers. Keys are in the key store, never here.
CREATE TABLE providers (
    id         TEXT PRIMARY KEY,
    kind       TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    base_url   TEXT    NOT NULL,
    has_key    INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE model_overrides (
    provider TEXT NOT NULL REFERENCES providers (id) ON DELETE CASCADE,
    model    TEXT NOT NULL,
    info     TEXT NOT NULL, -- JSON, wire.Model
    PRIMARY KEY (provider, model)
) WITHOUT ROWID;

CREATE TABLE settings (
    key      TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    value    TEXT    NOT NULL -- JSON
) WITHOUT ROWID;

-- At most one deletion of a Bot is under way; a start finishes it before anything is served.
CREATE TABLE bot_deletion (
    id  INTEGER PRIMARY KEY CHECK (id = 1),
    bot TEXT    NOT NULL,
    at  INTEGER NOT NULL
);
