-- name: ListBots :many
SELECT sqlc.embed(b), r.config FROM bots b JOIN bot_revisions r ON r.bot = b.n AND r.revision = b.revision ORDER BY b.n;

-- name: GetBot :one
SELECT sqlc.embed(b), r.config FROM bots b JOIN bot_revisions r ON r.bot = b.n AND r.revision = b.revision WHERE b.id = ?;

-- name: InsertBot :one
INSERT INTO bots (id, handle, name, description, tint, builtin, revision, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n;

-- name: InsertBotRevision :exec
INSERT INTO bot_revisions (bot, revision, at, config) VALUES (?, ?, ?, ?);

-- name: DeleteBotRevision :exec
DELETE FROM bot_revisions WHERE bot = ? AND revision = ?;

-- name: UpdateBot :execrows
UPDATE bots SET handle = ?, name = ?, description = ?, tint = ?, revision = ?, updated_at = ? WHERE n = ?;

-- name: DeleteBot :exec
DELETE FROM bots WHERE n = ?;

-- name: GetBotDefaults :one
SELECT revision, config FROM bot_defaults WHERE id = 1;

-- name: SetBotDefaults :exec
INSERT INTO bot_defaults (id, revision, config) VALUES (1, ?, ?)
ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, config = excluded.config;

-- name: GetBotDeletion :one
SELECT bot, at FROM bot_deletion WHERE id = 1;

-- name: SetBotDeletion :exec
INSERT INTO bot_deletion (id, bot, at) VALUES (1, ?, ?);

-- name: ClearBotDeletion :exec
DELETE FROM bot_deletion;
