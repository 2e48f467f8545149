package wire

// Settings are the person's preferences. Unset texts mean the default.
type Settings struct {
	Revision       int64  `json:"revision"`
	Theme          string `json:"theme"`    // system, light, dark
	Language       string `json:"language"` // system, en, de
	SendKey        string `json:"send_key"` // enter or mod_enter
	FontSize       int    `json:"font_size"`
	ReducedMotion  bool   `json:"reduced_motion"`
	DefaultFolder  string `json:"default_folder"` // workspace of a new chat when none is chosen
	SetupDone      bool   `json:"setup_done"`     // first start was finished or skipped
	DefaultBotID   string `json:"default_bot_id"`
	TitleModelAuto bool   `json:"title_model_auto"` // let the model write titles
}

// SystemInfo says what runs and where its data lives.
type SystemInfo struct {
	Version  string `json:"version"`
	Shell    string `json:"shell"` // desktop, serve, cli
	StateDir string `json:"state_dir"`
	OS       string `json:"os"`
	KeyStore string `json:"key_store"` // where keys live, in words
	Home     string `json:"home"`
}

// DoctorReport is the result of all checks.
type DoctorReport struct {
	At     int64         `json:"at"`
	Checks []DoctorCheck `json:"checks"`
	Text   string        `json:"text"` // the whole report as plain text without secrets
}

// DoctorCheck is one check.
type DoctorCheck struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Status  string `json:"status"` // ok, warning, error, skipped
	Message string `json:"message"`
	Next    string `json:"next,omitempty"` // what to do about it
}

// Folder is one entry of the folder chooser that the browser page uses.
type Folder struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// FolderListing is the folders inside a folder.
type FolderListing struct {
	Path      string   `json:"path"`
	Parent    string   `json:"parent,omitempty"`
	Folders   []Folder `json:"folders"`
	Truncated bool     `json:"truncated"`
}

// FileMatch is a file that matches what was typed after @.
type FileMatch struct {
	Path string `json:"path"` // relative to the workspace, with /
	Dir  bool   `json:"dir"`
}

// WorkspaceInfo describes a session's folder for the status line.
type WorkspaceInfo struct {
	Path   string `json:"path"`
	Name   string `json:"name"`
	Branch string `json:"branch,omitempty"` // Git branch or short commit
	Exists bool   `json:"exists"`
}

// RescueStatus says whether the database could be opened, and if not what there is to restore.
type RescueStatus struct {
	Needed  bool         `json:"needed"`
	Reason  *Rejection   `json:"reason,omitempty"`
	Backups []BackupFile `json:"backups"`
}

// BackupFile is one backup of the database.
type BackupFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // daily, before-update
	At     int64  `json:"at"`
	Bytes  int64  `json:"bytes"`
}

// RescueResult says what a rescue did.
type RescueResult struct {
	KeptAs string `json:"kept_as"` // where the file before it is now
	Rows   int64  `json:"rows"`
	Lost   int64  `json:"lost"` // places that could not be read
}
