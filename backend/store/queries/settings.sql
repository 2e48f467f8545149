-- name: GetSetting :one
SELECT revision, value FROM settings WHERE key = ?;

-- name: SetSetting :exec
INSERT INTO settings (key, revision, value) VALUES (?, ?, ?)
ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, value = excluded.value;

-- name: ListProviders :many
SELECT * FROM providers ORDER BY created_at, id;

-- name: GetProvider :one
SELECT * FROM providers WHERE id = ?;

-- name: UpsertProvider :exec
INSERT INTO providers (id, kind, name, base_url, has_key, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, name = excluded.name, base_url = excluded.base_url,
    has_key = excluded.has_key, updated_at = excluded.updated_at;

-- name: DeleteProvider :execrows
DELETE FROM providers WHERE id = ?;

-- name: ListModelOverrides :many
SELECT model, info FROM model_overrides WHERE provider = ?;

-- name: SetModelOverride :exec
INSERT INTO model_overrides (provider, model, info) VALUES (?, ?, ?)
ON CONFLICT (provider, model) DO UPDATE SET info = excluded.info;
