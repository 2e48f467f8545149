-- name: AppendEvent :exec
INSERT INTO events (id, at, kind, turn, data, meta) VALUES (?, ?, ?, ?, ?, ?);

-- name: ListEvents :many
SELECT id, at, kind, turn, data FROM events WHERE id > sqlc.arg(after) AND id <= sqlc.arg(last) ORDER BY id LIMIT sqlc.arg(max);

-- name: ListContextEvents :many
SELECT id, at, kind, turn, data, meta FROM events WHERE id > sqlc.arg(after) AND id <= sqlc.arg(last) ORDER BY id;

-- name: ListTurnStartsBefore :many
SELECT id FROM events WHERE id > sqlc.arg(first) AND id < sqlc.arg(before) AND kind = 'turn.started' ORDER BY id DESC LIMIT sqlc.arg(max);

-- name: InsertSubmission :exec
INSERT INTO submissions (session, id, answer) VALUES (?, ?, ?);

-- name: GetSubmission :one
SELECT answer FROM submissions WHERE session = ? AND id = ?;

-- name: ListQueue :many
SELECT position, id, at, message FROM queue WHERE session = ? ORDER BY position;

-- name: InsertQueued :exec
INSERT INTO queue (session, position, id, at, message) VALUES (?, ?, ?, ?, ?);

-- name: ClearQueue :exec
DELETE FROM queue WHERE session = ?;

-- name: AppendPartial :exec
INSERT INTO partials (session, n, step, attempt, deltas) VALUES (?, ?, ?, ?, ?);

-- name: ListPartials :many
SELECT n, step, attempt, deltas FROM partials WHERE session = ? ORDER BY n;

-- name: ClearPartials :exec
DELETE FROM partials WHERE session = ?;

-- name: GetContext :one
SELECT epoch, start_seq, head FROM context WHERE session = ? ORDER BY epoch DESC LIMIT 1;

-- name: InsertUsage :exec
INSERT INTO usage (at, session, bot, provider, model, purpose, input, output, cache_read, cache_write, cost_micros)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: AddSessionUsage :exec
UPDATE sessions SET input = input + ?, output = output + ?, cache_read = cache_read + ?, cache_write = cache_write + ?, cost_micros = cost_micros + ? WHERE n = ?;
