package wire

// Bot is a durable agent profile.
type Bot struct {
	ID          string      `json:"id"` // lower-case UUID
	Handle      string      `json:"handle"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Tint        string      `json:"tint"` // blue, teal, green, yellow, orange, red, purple
	Builtin     bool        `json:"builtin"`
	CreatedAt   int64       `json:"created_at"`
	UpdatedAt   int64       `json:"updated_at"`
	Config      BotRevision `json:"config"`
}

// BotRevision is a Bot's configuration with its revision number, which starts at 1.
type BotRevision struct {
	Revision int64     `json:"revision"`
	Config   BotConfig `json:"config"`
}

// BotConfig is what a Bot runs with.
type BotConfig struct {
	Provider      ProviderChoice `json:"provider"`
	SystemPrompt  string         `json:"system_prompt"`
	Capabilities  Capabilities   `json:"capabilities"`
	Approval      string         `json:"approval"`        // read_only, ask, accept_edits, sandbox, full
	Delivery      string         `json:"delivery"`        // steer (default) or queue: what a message sent during a turn does
	MaxModelSteps int            `json:"max_model_steps"` // model requests a turn, default 256, at least 1
}

// ProviderChoice names the model that a Bot uses. An empty Instance means "not chosen yet".
type ProviderChoice struct {
	Instance        string `json:"instance"` // id of a provider instance
	Model           string `json:"model"`
	ReasoningEffort string `json:"reasoning_effort,omitempty"` // "", minimal, low, medium, high; what the model offers
}

// Capabilities tells which capabilities a Bot has, by id, and their settings as JSON texts by id.
type Capabilities struct {
	Enabled  []string          `json:"enabled"`
	Settings map[string]string `json:"settings,omitempty"`
}

// BotDraft is what a person fills in for a new Bot. An empty Tint takes the next free one; a nil Config copies the defaults.
type BotDraft struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Tint        string     `json:"tint,omitempty"`
	Handle      string     `json:"handle,omitempty"`
	Config      *BotConfig `json:"config,omitempty"`
}

// BotUpdate changes the given fields of a Bot; nil fields stay as they are. ExpectedRevision guards against changing a
// Bot that has moved on (revision_conflict).
type BotUpdate struct {
	ID               string     `json:"id"`
	ExpectedRevision int64      `json:"expected_revision"`
	Name             *string    `json:"name,omitempty"`
	Description      *string    `json:"description,omitempty"`
	Tint             *string    `json:"tint,omitempty"`
	Handle           *string    `json:"handle,omitempty"`
	Config           *BotConfig `json:"config,omitempty"`
}

// BotList is all Bots at one revision of the catalog.
type BotList struct {
	Revision uint64 `json:"revision"`
	Bots     []Bot  `json:"bots"`
}

// BotDeletion is what a Bot deletion removed.
type BotDeletion struct {
	Bots       []Bot    `json:"bots"`        // the Bots that remain
	SessionIDs []string `json:"session_ids"` // every deleted session, hidden ones too
}

// BotDefaults is what a new Bot starts with. Revision 0 means that there are none yet.
type BotDefaults struct {
	Revision int64     `json:"revision"`
	Config   BotConfig `json:"config"`
}

// CapabilityInfo describes a capability that a Bot can have.
type CapabilityInfo struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Tools       []ToolInfo `json:"tools"`
}

// ToolInfo names one tool of a capability.
type ToolInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	ReadOnly    bool   `json:"read_only"`
}
