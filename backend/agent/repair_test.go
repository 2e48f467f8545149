package agent

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"mobius/backend/llm"
)

func user(text string) *llm.Message {
	return llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: text})
}

func assistant(calls ...string) *llm.Message {
	m := llm.NewMessage(llm.RoleAssistant, llm.Block{Kind: llm.Text, Text: "x"})
	for _, id := range calls {
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.ToolCall, CallID: id, Name: "tool", Args: "{}"})
	}
	return m
}

func answers(ids ...string) *llm.Message {
	m := llm.NewMessage(llm.RoleTool)
	for _, id := range ids {
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.ToolResult, CallID: id, Text: "result of " + id})
	}
	return m
}

func TestWhatIsInOrderIsPassedOnAsItIs(t *testing.T) {
	history := []*llm.Message{user("a"), assistant("1", "2"), answers("1", "2"), assistant(), user("b")}
	require.Equal(t, history, Repair(history))
	for i, m := range Repair(history) {
		require.Same(t, history[i], m, "its encoded form stays kept")
	}
}

func TestBrokenPairsAreRepairedInBothDirections(t *testing.T) {
	for name, test := range map[string]struct {
		history []*llm.Message
		want    [][]string // of each tool message after repair, the ids
		texts   []string
	}{
		"no answer at all":         {[]*llm.Message{user("a"), assistant("1")}, [][]string{{"1"}}, []string{InterruptedOutput}},
		"one of two answered":      {[]*llm.Message{user("a"), assistant("1", "2"), answers("2"), user("b")}, [][]string{{"1", "2"}}, []string{InterruptedOutput, "result of 2"}},
		"answers in two messages":  {[]*llm.Message{assistant("1", "2"), answers("2"), answers("1")}, [][]string{{"1", "2"}}, []string{"result of 1", "result of 2"}},
		"answer without a call":    {[]*llm.Message{user("a"), answers("9"), user("b")}, nil, nil},
		"answer to another's call": {[]*llm.Message{assistant("1"), answers("1", "9")}, [][]string{{"1"}}, []string{"result of 1"}},
		"answered twice":           {[]*llm.Message{assistant("1"), answers("1", "1")}, [][]string{{"1"}}, []string{"result of 1"}},
		"empty messages":           {[]*llm.Message{user("a"), llm.NewMessage(llm.RoleAssistant), user("b")}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got [][]string
			var texts []string
			for _, m := range Repair(test.history) {
				if m.Role != llm.RoleTool {
					continue
				}
				var ids []string
				for _, b := range m.Blocks {
					ids = append(ids, b.CallID)
					texts = append(texts, b.Text)
				}
				got = append(got, ids)
			}
			require.Equal(t, test.want, got)
			require.Equal(t, test.texts, texts)
		})
	}
}

func TestEveryHistoryBecomesWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "2", "3", "4", "5"}), 0, 3)
		var history []*llm.Message
		for range rapid.IntRange(0, 12).Draw(t, "length") {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				history = append(history, user("u"))
			case 1:
				distinct := map[string]bool{}
				m := assistant()
				for _, id := range ids.Draw(t, "calls") {
					if !distinct[id] {
						distinct[id] = true
						m.Blocks = append(m.Blocks, llm.Block{Kind: llm.ToolCall, CallID: id, Name: "tool"})
					}
				}
				history = append(history, m)
			case 2:
				history = append(history, answers(ids.Draw(t, "answers")...))
			case 3:
				history = append(history, llm.NewMessage(llm.RoleAssistant))
			}
		}
		repaired := Repair(history)
		for i, m := range repaired {
			if len(m.Blocks) == 0 {
				t.Fatal("an empty message")
			}
			if m.Role == llm.RoleTool && (i == 0 || !matches(repaired[i-1], m)) {
				t.Fatal("results that do not answer the message before them")
			}
			if m.Role == llm.RoleAssistant && calls(m) && (i+1 == len(repaired) || repaired[i+1].Role != llm.RoleTool) {
				t.Fatal("calls without results")
			}
		}
		if again := Repair(repaired); len(again) != len(repaired) {
			t.Fatal("repairing twice changes more")
		}
	})
}
