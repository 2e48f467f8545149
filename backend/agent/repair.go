package agent

import "mobius/backend/llm"

// InterruptedOutput is what the model reads as the result of a tool call whose outcome is not known.
const InterruptedOutput = "Interrupted before a result was recorded. The outcome is unknown: check what happened before you try again."

// Repair gives the messages as a request may carry them: every tool call is answered once, right after the assistant
// message that made it, and no result stands without its call. Missing results become interrupted ones, surplus results
// and empty messages are left out. Messages that are in order are passed on as they are, so their encoded form stays kept.
func Repair(history []*llm.Message) []*llm.Message {
	out := make([]*llm.Message, 0, len(history)+1)
	for i := 0; i < len(history); i++ {
		m := history[i]
		if len(m.Blocks) == 0 || m.Role == llm.RoleTool {
			continue // a tool message is taken with the assistant message before it, or not at all
		}
		out = append(out, m)
		if m.Role != llm.RoleAssistant || !calls(m) {
			continue
		}
		var answers []*llm.Message
		for i+1 < len(history) && history[i+1].Role == llm.RoleTool {
			i++
			answers = append(answers, history[i])
		}
		out = append(out, answer(m, answers))
	}
	return out
}

func calls(m *llm.Message) bool {
	for _, b := range m.Blocks {
		if b.Kind == llm.ToolCall {
			return true
		}
	}
	return false
}

// answer gives the tool message that answers exactly the calls of m, in their order.
func answer(m *llm.Message, answers []*llm.Message) *llm.Message {
	if len(answers) == 1 && matches(m, answers[0]) {
		return answers[0]
	}
	results := map[string]llm.Block{}
	for _, a := range answers {
		for _, b := range a.Blocks {
			if _, taken := results[b.CallID]; b.Kind == llm.ToolResult && !taken {
				results[b.CallID] = b
			}
		}
	}
	made := &llm.Message{Role: llm.RoleTool}
	for _, b := range m.Blocks {
		if b.Kind != llm.ToolCall {
			continue
		}
		r, ok := results[b.CallID]
		if !ok {
			r = llm.Block{Kind: llm.ToolResult, CallID: b.CallID, Name: b.Name, Text: InterruptedOutput, IsError: true}
		}
		made.Blocks = append(made.Blocks, r)
	}
	return made
}

// matches tells whether results answers the calls of m one to one in their order.
func matches(m, results *llm.Message) bool {
	n := 0
	for _, b := range m.Blocks {
		if b.Kind != llm.ToolCall {
			continue
		}
		if n >= len(results.Blocks) || results.Blocks[n].Kind != llm.ToolResult || results.Blocks[n].CallID != b.CallID {
			return false
		}
		n++
	}
	return n == len(results.Blocks)
}
