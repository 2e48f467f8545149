package wire

// Activity of a session.
const (
	ActivityIdle             = "idle"
	ActivityRunning          = "running"
	ActivityAwaitingApproval = "awaiting_approval"
)

// Outcome of a turn.
const (
	OutcomeCompleted = "completed"
	OutcomeAborted   = "aborted"
	OutcomeFailed    = "failed"
)

// Session is one conversation as lists show it.
type Session struct {
	ID          string `json:"id"` // UUIDv7
	BotID       string `json:"bot_id"`
	Title       string `json:"title"`
	Workspace   string `json:"workspace"` // absolute path of its folder
	Pinned      bool   `json:"pinned"`
	CreatedAt   int64  `json:"created_at"`
	UpdatedAt   int64  `json:"updated_at"`
	DeletedAt   int64  `json:"deleted_at,omitempty"` // in the trash since; 0 = not deleted
	LastSeq     int64  `json:"last_seq"`
	Activity    string `json:"activity"`
	LastOutcome string `json:"last_outcome,omitempty"`
	LastMessage string `json:"last_message,omitempty"` // at most 512 bytes
	Queued      int    `json:"queued"`
	Totals      Usage  `json:"totals"` // tokens and cost of the whole conversation
}

// SessionQuery filters and pages the list of conversations. Zero values mean "all" and "first page".
type SessionQuery struct {
	BotID     string `json:"bot_id,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	Text      string `json:"text,omitempty"` // matched in titles, case-insensitively
	Trash     bool   `json:"trash,omitempty"`
	Cursor    string `json:"cursor,omitempty"` // opaque, from the page before
	Limit     int    `json:"limit,omitempty"`  // default 100, at most 1,000
}

// SessionPage is one page of conversations: pinned first, then updated descending, then sequence, then id.
type SessionPage struct {
	Revision uint64    `json:"revision"`
	Sessions []Session `json:"sessions"`
	Next     string    `json:"next,omitempty"` // cursor of the next page, "" at the end
	Total    int       `json:"total"`
}

// SessionDraft asks for a new conversation. An empty Workspace is the default folder of the settings.
type SessionDraft struct {
	BotID     string `json:"bot_id"`
	Workspace string `json:"workspace,omitempty"`
}

// OpenRequest opens a session: without After it gives the newest page of whole turns, with After the events after it.
type OpenRequest struct {
	ID    string `json:"id"`
	After *int64 `json:"after,omitempty"`
	Turns int    `json:"turns,omitempty"` // page size in turns, default 30, at most 2,000
}

// OpenSession is what a shell needs to draw a conversation and to follow it: the events, and if a turn runs what it has
// streamed so far. Live events with a sequence beyond LastSeq and frames beyond Live.N continue it.
type OpenSession struct {
	Session Session         `json:"session"`
	Page    EventPage       `json:"page"`
	Queue   []QueuedMessage `json:"queue"`
	Live    *Live           `json:"live,omitempty"`
}

// HistoryRequest asks for the page of whole turns that ends before a sequence.
type HistoryRequest struct {
	ID     string `json:"id"`
	Before int64  `json:"before"`
	Turns  int    `json:"turns,omitempty"` // default 30, at most 2,000
}

// EventPage is a run of journaled events in order. Before is the cursor for the page of older turns, 0 when there is none.
type EventPage struct {
	Events  []Event `json:"events"`
	Before  int64   `json:"before"`
	LastSeq int64   `json:"last_seq"`
}

// QueuedMessage is a message that waits for the turn before it to end.
type QueuedMessage struct {
	ID      string  `json:"id"`
	Message Message `json:"message"`
	At      int64   `json:"at"`
}

// Submission is one command to a session. The ID is the idempotency key: the same ID twice is accepted once, and the
// second answer is the first one's. Exactly one of the operation fields is set.
type Submission struct {
	SessionID   string       `json:"session_id"`
	ID          string       `json:"id"` // UUID made by the client
	Message     *Message     `json:"message,omitempty"`
	Interrupt   *Interrupt   `json:"interrupt,omitempty"`
	QueueEdit   *QueueEdit   `json:"queue_edit,omitempty"`
	QueueRemove *QueueRemove `json:"queue_remove,omitempty"`
	QueueMove   *QueueMove   `json:"queue_move,omitempty"`
}

// Message is what a person or a peer says.
type Message struct {
	ID                string   `json:"id,omitempty"`     // the submission's id
	Author            string   `json:"author,omitempty"` // user (default) or peer
	Text              string   `json:"text"`             // at most 1 MiB
	Attachments       []string `json:"attachments,omitempty"`
	RequestedDelivery string   `json:"requested_delivery,omitempty"` // steer, queue or "" for the Bot's setting
	TargetTurnID      string   `json:"target_turn_id,omitempty"`
}

// Interrupt stops the named turn; a stale name is harmless.
type Interrupt struct {
	TurnID string `json:"turn_id"`
}

// QueueEdit replaces the text of a queued message; one already taken is refused with stale_turn.
type QueueEdit struct {
	MessageID string `json:"message_id"`
	Text      string `json:"text"`
}

// QueueRemove takes a queued message out of the queue.
type QueueRemove struct {
	MessageID string `json:"message_id"`
}

// QueueMove puts a queued message before another one, or last when Before is empty.
type QueueMove struct {
	MessageID string `json:"message_id"`
	Before    string `json:"before,omitempty"`
}

// Accepted is the answer to a submission. Delivery tells what became of a message: started, steered or queued.
type Accepted struct {
	SubmissionID string `json:"submission_id"`
	Delivery     string `json:"delivery,omitempty"`
	TurnID       string `json:"turn_id,omitempty"`
	Seq          int64  `json:"seq,omitempty"` // of the event that recorded it
}
