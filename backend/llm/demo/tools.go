package demo

import (
	"encoding/json"
	"fmt"
	"strings"

	"mobius/backend/llm"
)

// use thinks aloud and calls a tool, or says that the Bot does not have it.
func (a *speaker) use(req *llm.Request, tool, thought string, args map[string]any) error {
	offered := false
	for _, t := range req.Tools {
		offered = offered || t.Name == tool
	}
	if !offered {
		return a.say(llm.Text, fmt.Sprintf("For that I would need the tool `%s`, which this Bot does not have. You can see what it has in its profile, under *Capabilities*.", tool))
	}
	if err := a.say(llm.Reasoning, thought); err != nil {
		return err
	}
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	calls := 0
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			if b.Kind == llm.ToolCall {
				calls++
			}
		}
	}
	i := a.b.Open(llm.Block{Kind: llm.ToolCall, CallID: fmt.Sprintf("demo_%d", calls+1), Name: tool})
	for len(text) > 0 {
		if err := a.pause(); err != nil {
			return err
		}
		n := min(len(text), 24)
		a.b.Add(i, string(text[:n]))
		text = text[n:]
	}
	return a.ctx.Err()
}

// report says what the tools gave.
func (a *speaker) report(results *llm.Message, _ []*llm.Message) error {
	for _, r := range results.Blocks {
		if r.IsError {
			if err := a.say(llm.Text, "The tool reported a problem:\n\n"+fenced(head(r.Text, 12), "")+"\n\nTry another name, or ask me to *list the files*.\n\n"); err != nil {
				return err
			}
			continue
		}
		if err := a.say(llm.Text, summary(r)+"\n\n"); err != nil {
			return err
		}
	}
	return nil
}

func summary(r llm.Block) string {
	lines := strings.Split(strings.TrimRight(r.Text, "\n"), "\n")
	count := 0
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			count++
		}
	}
	switch r.Name {
	case "list_files":
		return fmt.Sprintf("I looked into the folder. Here is what I found (%d lines):\n\n%s\n\nAsk me to *read* one of them, or to *search for* a word.", count, fenced(head(r.Text, 30), ""))
	case "read_file":
		return fmt.Sprintf("I read the file; the tool gave me %d lines. It begins like this:\n\n%s\n\nA real model would now answer your question about it.", len(lines), fenced(head(r.Text, 20), ""))
	case "glob":
		return fmt.Sprintf("These paths match (%d lines):\n\n%s", count, fenced(head(r.Text, 30), ""))
	case "search":
		return fmt.Sprintf("This is what the search gave (%d lines):\n\n%s", count, fenced(head(r.Text, 30), ""))
	case "write_file":
		return "Done. The tool says:\n\n" + fenced(head(r.Text, 12), "")
	}
	return "The tool answered:\n\n" + fenced(head(r.Text, 20), "")
}

func head(text string, lines int) string {
	list := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(list) <= lines {
		return strings.Join(list, "\n")
	}
	return strings.Join(list[:lines], "\n") + fmt.Sprintf("\n… and %d more lines", len(list)-lines)
}

// fenced puts text into a code block whose fence is longer than any run of backticks in it.
func fenced(text, language string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence
}
