package demo

import (
	"embed"
	"strings"
	"unicode"
)

//go:embed texts/*.md
var texts embed.FS

// prose gives a text that is too long for the code.
func prose(name string) string {
	b, err := texts.ReadFile("texts/" + name + ".md")
	if err != nil {
		panic(err) // embedded: cannot be missing in a program that was built
	}
	return string(b)
}

// language is what is spoken.
type language string

const (
	english language = "en"
	german  language = "de"
)

// pick chooses between two wordings.
func (l language) pick(en, de string) string {
	if l == german {
		return de
	}
	return en
}

// prose gives a long text in the language.
func (l language) prose(name string) string { return prose(name + "." + string(l)) }

// germanWords tell German from English; each is common in requests and no English word.
const germanWords = " bitte zeig zeige mir lies lese liste suche finde nach welche welcher dateien datei ordner verzeichnis hallo servus moin guten " +
	"erstelle schreib schreibe denk denke über ist sind gibt der das und mit wer kannst du danke öffne frag frage mich sag sage zähle einen eine ein " +
	"lange antwort scheitere was wo steht hier diesem projekt überblick worum erkläre zeilen einmal zweimal dreimal nicht ich von auf "

// languageOf tells the language of a request: German if more of its words are German than not certain.
func languageOf(text string) language {
	words, known := 0, 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if words++; words > 40 {
			break
		}
		if strings.Contains(germanWords, " "+word+" ") {
			known++
		}
	}
	if known > 0 && known*3 >= words {
		return german
	}
	return english
}
