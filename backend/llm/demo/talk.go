package demo

import (
	"fmt"
	"strings"

	"mobius/backend/llm"
)

const longParts = 20

// talk answers what needs no tool, or says which tool is missing.
func (c *conversation) talk(v *voice, in intent) error {
	say := func(en, de string) error { return v.say(llm.Text, c.lang.pick(en, de)) }
	switch in.kind {
	case sayN:
		if in.n == 0 {
			return say("Zero words, and these four.", "Null Wörter, und diese vier.") // an empty answer would be an error
		}
		return v.count(in.n)
	case failAs:
		return c.fail(v, in)
	case thinkAbout:
		return c.think(v, in.text)
	case askBack:
		return say(questionEN, questionDE)
	case showMarkdown:
		return v.say(llm.Text, prose("markdown"))
	case longAnswer:
		for i := range longParts {
			if err := v.say(llm.Text, fmt.Sprintf(prose("long"), i+1)); err != nil {
				return err
			}
		}
		return nil
	case greet:
		return v.say(llm.Text, c.lang.prose("greeting"))
	case thanks:
		return say("You are welcome! I am only the demonstration, but I pass it on to those who wrote me.", "Gern! Ich bin nur die Vorführung, aber ich gebe es an die weiter, die mich geschrieben haben.")
	case unknown:
		return v.say(llm.Text, fmt.Sprintf(c.lang.prose("unknown"), quoted(c.asked)))
	case useTool, overview:
		return c.missing(v, in)
	}
	return nil
}

// missing says that a tool which is needed is not there; nothing when it is.
func (c *conversation) missing(v *voice, in intent) error {
	tool := in.tool
	if in.kind == overview {
		tool = "list_files"
	}
	if c.offered(tool) {
		return nil
	}
	if tool == "write_file" {
		return v.say(llm.Text, c.lang.pick(
			fmt.Sprintf("I understand: %s is to be written. But this Bot has no tool for writing files. Either it is switched off in its profile, under *Capabilities*, or this version of Mobius does not have it yet. Nothing was changed.\n", code(fmt.Sprint(in.args["path"]))),
			fmt.Sprintf("Verstanden: %s soll geschrieben werden. Aber dieser Bot hat kein Werkzeug, um Dateien zu schreiben. Entweder ist es in seinem Profil unter *Fähigkeiten* ausgeschaltet, oder diese Version von Mobius hat es noch nicht. Es wurde nichts geändert.\n", code(fmt.Sprint(in.args["path"])))))
	}
	return v.say(llm.Text, c.lang.pick(
		fmt.Sprintf("For that I need the tool %s, which this Bot does not have. You can switch it on in its profile, under *Capabilities*.\n", code(tool)),
		fmt.Sprintf("Dafür brauche ich das Werkzeug %s, das dieser Bot nicht hat. Du kannst es in seinem Profil unter *Fähigkeiten* einschalten.\n", code(tool))))
}

// think shows what reasoning looks like.
func (c *conversation) think(v *voice, about string) error {
	about, _ = firstRunes(strings.TrimRight(strings.TrimSpace(about), ".!?"), 200)
	if about == "" {
		about = c.lang.pick("this", "dies")
	}
	rounds := map[string]int{"minimal": 1, "low": 1, "high": 4}[c.req.Effort]
	if rounds == 0 {
		rounds = 2
	}
	if err := v.say(llm.Reasoning, c.lang.pick("The subject is: ", "Das Thema ist: ")+about+".\n\n"); err != nil {
		return err
	}
	for i := range rounds {
		if err := v.say(llm.Reasoning, c.lang.pick(musingsEN[i], musingsDE[i])); err != nil {
			return err
		}
	}
	return v.say(llm.Text, c.lang.pick(
		fmt.Sprintf("I have thought about **%s**, as far as a demonstration can. A real model would now give you its conclusion; mine is that I can show how thinking *looks*: folded away above, with the time it took.\n", about),
		fmt.Sprintf("Ich habe über **%s** nachgedacht, soweit eine Vorführung das kann. Ein echtes Modell gäbe dir jetzt sein Ergebnis; meines ist, dass ich zeigen kann, wie Denken *aussieht*: oben eingeklappt, mit der Zeit, die es gebraucht hat.\n", about)))
}

var musingsEN = [...]string{
	"First I take it apart. What is known is that somebody wants to see how reasoning is shown. What is missing is a mind to do it with.\n\n",
	"So I look at it from the other side: if I were a real model, this is where I would weigh what speaks for each answer, find that one rests on an assumption, and go back a step.\n\n",
	"A check: does what I am about to say follow from what I know? It does, since I know only that I am a demonstration.\n\n",
	"One more check, because the effort is set to high: is there a shorter way to say it? There is, and I take it.\n\n",
}

var musingsDE = [...]string{
	"Zuerst zerlege ich es. Bekannt ist, dass jemand sehen will, wie Denken gezeigt wird. Was fehlt, ist ein Verstand, der es tut.\n\n",
	"Also sehe ich es von der anderen Seite an: Wäre ich ein echtes Modell, würde ich hier abwägen, was für jede Antwort spricht, eine Annahme finden und einen Schritt zurückgehen.\n\n",
	"Eine Probe: Folgt das, was ich gleich sage, aus dem, was ich weiß? Ja, denn ich weiß nur, dass ich eine Vorführung bin.\n\n",
	"Noch eine Probe, weil die Denktiefe hoch eingestellt ist: Geht es kürzer? Ja, und so sage ich es.\n\n",
}

// The question begins with a sentence by which the answer to it is recognised.
const (
	questionMarkEN = "**A question for you:**"
	questionMarkDE = "**Eine Frage an dich:**"
	questionEN     = questionMarkEN + " what would you like a team of Bots to do for you first?\n\n1. look after the files of a project\n2. write texts\n3. something that you do every morning\n\nA number or your own words will do.\n"
	questionDE     = questionMarkDE + " Was soll ein Team von Bots als Erstes für dich tun?\n\n1. sich um die Dateien eines Projekts kümmern\n2. Texte schreiben\n3. etwas, das du jeden Morgen tust\n\nEine Zahl oder eigene Worte genügen.\n"
)

// wasAsked tells whether the answer before the last message was the question.
func (c *conversation) wasAsked() bool {
	text := lastText(c.req.Messages, llm.RoleAssistant)
	return strings.HasPrefix(text, questionMarkEN) || strings.HasPrefix(text, questionMarkDE)
}

func (c *conversation) acknowledge(v *voice) error {
	if strings.HasPrefix(lastText(c.req.Messages, llm.RoleAssistant), questionMarkDE) {
		c.lang = german
	}
	answer := strings.TrimRight(c.asked, ".!? ")
	if n := strings.Index("123", answer); n >= 0 && len(answer) == 1 {
		answer = []string{c.lang.pick("look after the files of a project", "sich um die Dateien eines Projekts kümmern"), c.lang.pick("write texts", "Texte schreiben"), c.lang.pick("something that you do every morning", "etwas, das du jeden Morgen tust")}[n]
	}
	return v.say(llm.Text, c.lang.pick(
		fmt.Sprintf("Thank you. You answered:\n\n%s\n\nA real model would go on from here. I only show that a question and its answer find each other.\n", quoted(answer)),
		fmt.Sprintf("Danke. Deine Antwort:\n\n%s\n\nEin echtes Modell würde hier weitermachen. Ich zeige nur, dass eine Frage und ihre Antwort zueinanderfinden.\n", quoted(answer))))
}

// quoted shows the beginning of what somebody said as a quote, so that nothing in it takes effect.
func quoted(s string) string {
	line, _, more := strings.Cut(s, "\n")
	if cut, ok := firstRunes(line, 100); ok {
		line, more = cut, true
	}
	if more {
		line += " …"
	}
	if strings.TrimSpace(line) == "" {
		return "> …"
	}
	return "> " + escape(line)
}
