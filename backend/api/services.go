package api

import "mobius/backend/wire"

// Bots manages the durable agent profiles.
type Bots struct{}

// List gives all Bots.
func (s *Bots) List() (*wire.BotList, error) { return nil, nil }

// Get gives one Bot.
func (s *Bots) Get(id string) (*wire.Bot, error) { return nil, nil }

// Create makes a new Bot.
func (s *Bots) Create(draft wire.BotDraft) (*wire.Bot, error) { return nil, nil }

// Update changes a Bot; all its resident sessions run the new profile, or none does.
func (s *Bots) Update(update wire.BotUpdate) (*wire.Bot, error) { return nil, nil }

// Delete removes a Bot with everything it owns.
func (s *Bots) Delete(id string, expectedRevision int64) (*wire.BotDeletion, error) { return nil, nil }

// Defaults gives what a new Bot starts with.
func (s *Bots) Defaults() (*wire.BotDefaults, error) { return nil, nil }

// SetDefaults changes what new Bots start with.
func (s *Bots) SetDefaults(expectedRevision int64, config wire.BotConfig) (*wire.BotDefaults, error) {
	return nil, nil
}

// Capabilities lists what a Bot can be given.
func (s *Bots) Capabilities() ([]wire.CapabilityInfo, error) { return nil, nil }

// Sessions manages conversations.
type Sessions struct{}

// List gives a page of conversations.
func (s *Sessions) List(query wire.SessionQuery) (*wire.SessionPage, error) { return nil, nil }

// Create makes a conversation.
func (s *Sessions) Create(draft wire.SessionDraft) (*wire.Session, error) { return nil, nil }

// Open gives a conversation's newest page, or what came after a cursor.
func (s *Sessions) Open(req wire.OpenRequest) (*wire.OpenSession, error) { return nil, nil }

// History gives an older page.
func (s *Sessions) History(req wire.HistoryRequest) (*wire.EventPage, error) { return nil, nil }

// Submit hands one command to a conversation.
func (s *Sessions) Submit(sub wire.Submission) (*wire.Accepted, error) { return nil, nil }

// Rename sets the title.
func (s *Sessions) Rename(id, title string) (*wire.Session, error) { return nil, nil }

// Pin sets or clears the pin.
func (s *Sessions) Pin(id string, pinned bool) (*wire.Session, error) { return nil, nil }

// Delete moves conversations to the trash.
func (s *Sessions) Delete(ids []string) ([]string, error) { return nil, nil }

// Undelete takes conversations out of the trash.
func (s *Sessions) Undelete(ids []string) ([]string, error) { return nil, nil }

// Purge removes conversations of the trash for good; no ids means all of it.
func (s *Sessions) Purge(ids []string) ([]string, error) { return nil, nil }

// Relink binds a conversation to another folder.
func (s *Sessions) Relink(id, workspace string) (*wire.Session, error) { return nil, nil }

// Providers manages the model providers.
type Providers struct{}

// Kinds lists the kinds of provider that can be set up.
func (s *Providers) Kinds() ([]wire.ProviderKind, error) { return nil, nil }

// List gives the configured instances.
func (s *Providers) List() (*wire.ProviderList, error) { return nil, nil }

// Save creates or changes an instance.
func (s *Providers) Save(draft wire.ProviderDraft) (*wire.ProviderInstance, error) { return nil, nil }

// Remove deletes an instance and its key; one that a Bot uses is refused (provider_in_use).
func (s *Providers) Remove(id string) error { return nil }

// SetCredential stores the key of an instance.
func (s *Providers) SetCredential(id, key string) (*wire.ProviderInstance, error) { return nil, nil }

// ClearCredential removes the key of an instance.
func (s *Providers) ClearCredential(id string) (*wire.ProviderInstance, error) { return nil, nil }

// Test tries the connection of a draft without saving it; an empty key uses the stored one of the draft's id.
func (s *Providers) Test(draft wire.ProviderDraft) (*wire.ProviderTest, error) { return nil, nil }

// Models lists the models of an instance: what its server says, with what the catalogue knows.
func (s *Providers) Models(id string, refresh bool) ([]wire.Model, error) { return nil, nil }

// SetModel overrides what is known about one model of an instance.
func (s *Providers) SetModel(id string, model wire.Model) error { return nil }

// Detect finds keys in the environment and model servers on this machine.
func (s *Providers) Detect() ([]wire.Detected, error) { return nil, nil }

// Adopt sets up a detected provider; a key is taken from the environment into the key store.
func (s *Providers) Adopt(found wire.Detected) (*wire.ProviderInstance, error) { return nil, nil }

// Workspace answers questions about folders.
type Workspace struct{}

// Info describes a folder.
func (s *Workspace) Info(path string) (*wire.WorkspaceInfo, error) { return nil, nil }

// Recent lists the folders of recent conversations.
func (s *Workspace) Recent() ([]wire.WorkspaceInfo, error) { return nil, nil }

// Folders lists the folders inside one, for choosing a workspace in a browser; "" is the home folder.
func (s *Workspace) Folders(path string) (*wire.FolderListing, error) { return nil, nil }

// Files finds files of a session's folder whose path matches what was typed, best first, at most 50.
func (s *Workspace) Files(sessionID, query string) ([]wire.FileMatch, error) { return nil, nil }

// Settings holds the person's preferences.
type Settings struct{}

// Get gives the settings.
func (s *Settings) Get() (*wire.Settings, error) { return nil, nil }

// Set changes them; Revision must be the one read (revision_conflict).
func (s *Settings) Set(settings wire.Settings) (*wire.Settings, error) { return nil, nil }

// System answers questions about the program itself.
type System struct{}

// Info says what runs and where its data lives.
func (s *System) Info() (*wire.SystemInfo, error) { return nil, nil }

// Doctor runs all checks.
func (s *System) Doctor() (*wire.DoctorReport, error) { return nil, nil }

// Watch limits the session events that a client gets to the given sessions; client is the id it connected with. Catalog changes always come.
func (s *System) Watch(client string, sessionIDs []string) error { return nil }
