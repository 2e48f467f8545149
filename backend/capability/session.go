package capability

import (
	"context"
	"encoding/json"
	"os"

	"mobius/backend/agent"
	"mobius/backend/llm"
	"mobius/backend/wire"
)

// Open gives the tools that a Bot has in a conversation, and the sections of its prompt; see session.Toolbox. The folder
// being gone is an invalid_session_workspace rejection, so that the turn says so instead of failing at its first tool.
func (s *Set) Open(bot wire.Bot, session wire.Session) (agent.Tools, string, error) {
	if info, err := os.Stat(session.Workspace); err != nil || !info.IsDir() {
		return nil, "", wire.Reject(wire.CodeInvalidSessionWorkspace, "The folder %s of this conversation is gone or was moved. Choose where it is now.", session.Workspace)
	}
	box := s.Enabled(bot.Config.Config.Capabilities.Enabled)
	prompt := "Your workspace is the folder " + session.Workspace + "."
	if box.Prompt() != "" {
		prompt += "\n\n" + box.Prompt()
	}
	return &tools{box, Call{SessionID: session.ID, BotID: bot.ID, Workspace: session.Workspace}}, prompt, nil
}

// tools is a toolbox as the turn loop uses it.
type tools struct {
	*Toolbox
	call Call // what all calls of the conversation have in common
}

// Run implements agent.Tools.
func (t *tools) Run(ctx context.Context, block llm.Block) agent.Result {
	call := t.call
	call.ID, call.Name, call.Args = block.CallID, block.Name, json.RawMessage(block.Args)
	result := t.Toolbox.Run(ctx, call)
	return agent.Result{Output: result.Output, IsError: result.IsError}
}
