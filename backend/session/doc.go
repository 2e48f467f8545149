// Package session owns one conversation: its actor, its journal and the turn that runs in it.
//
// # The actor
//
// A resident session is one goroutine with a bounded mailbox ([mailboxSize]). It alone writes the session's journal, so
// sequence numbers need no lock. A turn runs in a second goroutine that the actor owns; it asks the actor to journal
// through the same mailbox. Submissions never wait for a full mailbox: they are rejected with gateway_busy.
//
// # The journal
//
// Events are committed, then published; their sequence grows by exactly 1. One transaction holds the events of a step
// with the checkpoint (the sessions row), which is saved only over the sequence it was made from: a stale writer fails
// instead of overwriting. The model's context is a fold of the journal ([fold]), so nothing is stored twice.
//
// Streamed pieces are not journaled one by one. They are published in frames, the first at once and then at most 60 a
// second, and appended to the partials table at least every 100 ms, so that a crash keeps what was shown ([stream]).
//
// # Recovery
//
// A session whose row has an open turn was cut by a crash. Loading it closes the cut step with what was durable, answers
// open tool calls as interrupted and closes the turn; a turn that had produced nothing yet is run again.
package session
