-- name: InsertSession :one
INSERT INTO sessions (id, bot, workspace, workspace_id, parent, parent_seq, title, title_source, hidden, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n;

-- name: GetSession :one
SELECT sqlc.embed(s), b.id AS bot_id, (SELECT count(*) FROM queue q WHERE q.session = s.n) AS queued
FROM sessions s JOIN bots b ON b.n = s.bot WHERE s.id = ?;

-- name: ListSessions :many
SELECT sqlc.embed(s), b.id AS bot_id, (SELECT count(*) FROM queue q WHERE q.session = s.n) AS queued
FROM sessions s JOIN bots b ON b.n = s.bot
WHERE s.hidden = 0 AND s.deleted_at = 0
  AND (s.pinned, s.updated_at, s.n) < (sqlc.arg(pinned), sqlc.arg(updated_at), sqlc.arg(n))
ORDER BY s.pinned DESC, s.updated_at DESC, s.n DESC LIMIT sqlc.arg(max);

-- name: FilterSessions :many
SELECT sqlc.embed(s), b.id AS bot_id, (SELECT count(*) FROM queue q WHERE q.session = s.n) AS queued
FROM sessions s JOIN bots b ON b.n = s.bot
WHERE s.hidden = 0 AND s.deleted_at = 0
  AND (s.pinned, s.updated_at, s.n) < (sqlc.arg(pinned), sqlc.arg(updated_at), sqlc.arg(n))
  AND (sqlc.arg(bot) = '' OR b.id = sqlc.arg(bot))
  AND (sqlc.arg(workspace) = '' OR s.workspace = sqlc.arg(workspace))
  AND (sqlc.arg(text) = '' OR instr(lower(s.title), lower(sqlc.arg(text))) > 0)
ORDER BY s.pinned DESC, s.updated_at DESC, s.n DESC LIMIT sqlc.arg(max);

-- name: ListTrash :many
SELECT sqlc.embed(s), b.id AS bot_id, (SELECT count(*) FROM queue q WHERE q.session = s.n) AS queued
FROM sessions s JOIN bots b ON b.n = s.bot
WHERE s.deleted_at > 0 AND s.hidden = 0 ORDER BY s.deleted_at DESC, s.n DESC LIMIT ?;

-- name: CountSessions :one
SELECT count(*) FROM sessions WHERE hidden = 0 AND deleted_at = 0;

-- name: ListOpenTurns :many
SELECT id FROM sessions WHERE open_turn > 0 AND deleted_at = 0;

-- name: ListWaitingQueues :many
SELECT DISTINCT s.id FROM queue q JOIN sessions s ON s.n = q.session WHERE s.deleted_at = 0;

-- name: ListExpiredTrash :many
SELECT id FROM sessions WHERE deleted_at > 0 AND deleted_at < ?;

-- name: ListRecentWorkspaces :many
SELECT workspace, CAST(max(updated_at) AS INTEGER) AS used_at FROM sessions WHERE hidden = 0 GROUP BY workspace ORDER BY used_at DESC LIMIT ?;

-- name: SaveCheckpoint :execrows
UPDATE sessions SET updated_at = ?, last_seq = ?, open_turn = ?, activity = ?, last_outcome = ?, last_message = ?,
    input = ?, output = ?, cache_read = ?, cache_write = ?, cost_micros = ?, context = ? WHERE n = ? AND last_seq = sqlc.arg(expected_seq);

-- name: GetLastSeq :one
SELECT last_seq FROM sessions WHERE n = ?;

-- name: RenameSession :execrows
UPDATE sessions SET title = ?, title_source = ? WHERE id = ?;

-- name: TitleSession :execrows
UPDATE sessions SET title = ?, title_source = ? WHERE id = ? AND title_source <> 'user';

-- name: PinSession :execrows
UPDATE sessions SET pinned = ? WHERE id = ?;

-- name: RelinkSession :execrows
UPDATE sessions SET workspace = ?, workspace_id = ? WHERE id = ?;

-- name: TrashSession :execrows
UPDATE sessions SET deleted_at = ? WHERE id = ? AND deleted_at = 0;

-- name: UntrashSession :execrows
UPDATE sessions SET deleted_at = 0 WHERE id = ? AND deleted_at > 0;

-- name: DetachChildren :exec
UPDATE sessions SET parent = NULL WHERE parent = ?;

-- name: DeleteSession :exec
DELETE FROM sessions WHERE n = ?;

-- name: DeleteSessionEvents :execrows
DELETE FROM events WHERE id > sqlc.arg(first) AND id <= sqlc.arg(last);

-- name: ListBotSessions :many
SELECT id FROM sessions WHERE bot = ? ORDER BY n;

-- name: CountFilteredSessions :one
SELECT count(*) FROM sessions s JOIN bots b ON b.n = s.bot
WHERE s.hidden = 0 AND s.deleted_at = 0
  AND (sqlc.arg(bot) = '' OR b.id = sqlc.arg(bot))
  AND (sqlc.arg(workspace) = '' OR s.workspace = sqlc.arg(workspace))
  AND (sqlc.arg(text) = '' OR instr(lower(s.title), lower(sqlc.arg(text))) > 0);
