// Package store owns the state directory and the SQLite database in it.
//
//   - One process owns the directory: [Open] takes a lock file that names the owner, so a second start can say who runs.
//   - One connection writes. [Store.Write] hands it a function; what arrives while it commits is committed together, each
//     function in a savepoint of its own. Commits are durable against power loss (synchronous=FULL).
//   - Readers run beside it ([Store.Read]) and never hold a read transaction beyond one query.
//   - The schema migrates forward, after a backup. A database of a newer version or of another program is refused before
//     SQLite has touched it; a damaged one gives [ErrDamaged], and the rescue functions restore, salvage or start fresh.
//
// The queries are in queries/*.sql; package db is generated from them with sqlc.
package store
