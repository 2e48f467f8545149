package demo

import (
	"regexp"
	"sync"
)

// patterns are the expressions that requests are known by, made when first used.
type patterns struct {
	polite, politeEnd                               *regexp.Regexp
	then, andVerb                                   *regexp.Regexp
	say, fail, times, think, ask, broken, unknown   *regexp.Regexp
	markdown, long                                  *regexp.Regexp
	write, writeContent, writeTo                    *regexp.Regexp
	typed, find, search, where, inside, wordsBefore *regexp.Regexp
	read, lines, firstLines                         *regexp.Regexp
	list, folder, deep, overview                    *regexp.Regexp
	greet, thanks                                   *regexp.Regexp
}

var known = sync.OnceValue(func() *patterns {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	const verbs = `(?:read|list|show|open|search|grep|find|look|say|count|lies|zeige?|liste|öffne|suche?|finde|sage?)`
	return &patterns{
		polite:       re(`^(?:(?:please|hey|hi|hello|ok(?:ay)?|now|mobius|could you|can you|would you|will you|i want you to|i'd like you to|let's|bitte|hallo|jetzt|kannst du|könntest du|würdest du)[\s,:!]+(?:please\s+|bitte\s+|mir\s+)?)+`),
		politeEnd:    re(`[\s,]*(?:,?\s*(?:please|for me|thanks|thank you|bitte|danke))?[\s.!?]*$`),
		then:         re(`[\s,;.]+(?:and then|then|after that|afterwards|und dann|dann|danach|anschließend)[\s,:]+`),
		andVerb:      re(`(?:\s+(?:and|und)|,)\s+(` + verbs + `)\s`),
		say:          re(`^(?:say|count(?: up)? to|stream|sage?|zähle?(?: bis)?)\s+(\d+)(?:\s+(?:words|tokens|wörter|worte))?$`),
		fail:         re(`^(?:fail|simulate|pretend|break|scheiter\w*|simuliere?)\b`),
		times:        re(`\b(?:(once|einmal)|(twice|zweimal)|(\d+)\s*(?:times|mal|-mal))\b`),
		think:        re(`^(?:think|reason|ponder|reflect|denke?|überlege?)\b(?:\s+(?:hard|deeply|carefully|mal|gut|bitte))?(?:\s+(?:about|over|through|on|über|an))?\s*(.*)$`),
		ask:          re(`^(?:ask\s+me|quiz\s+me|frage?\s+mich)\b\s*(.*)$`),
		broken:       re(`\b(?:broken|invalid|malformed|kaputte\w*)\s+(?:tool\s*call|call|arguments|json|werkzeugaufruf)`),
		unknown:      re(`\b(?:unknown|missing|unbekannte\w*)\s+(?:tool|werkzeug)`),
		markdown:     re(`\b(?:markdown|formatting|formatierung\w*)\b`),
		long:         re(`\b(?:long|lengthy|lange\w*)\s+(?:answer|text|story|reply|response|essay|antwort|geschichte)`),
		write:        re(`^(?:make|create|write|save|add|put|generate|erstelle?|schreibe?|lege?|mache?|speichere?)\b`),
		writeContent: re(`(?s)(?:\s+(?:with(?:\s+the)?(?:\s+(?:text|contents?|words|line))?|containing|that\s+(?:says|contains|reads)|which\s+says|saying|mit(?:\s+dem)?(?:\s+(?:inhalt|text))?|in\s+der\s+steht)\s*:?|\s*:)\s+(.+)$`),
		writeTo:      re(`(?s)^(?:write|put|save|schreibe?|speichere?)\s+(.+?)\s+(?:to|into|in|als|as|nach)\s+(?:the\s+|a\s+|die\s+|eine\s+)?(?:file\s+|datei\s+)?(\S+)$`),
		typed:        re(`(?:^|\s)(\.?[\p{L}+#]+)[\s-]+(?:source\s+)?(?:files|sources|dateien)\b`),
		find:         re(`^(?:find|locate|glob|finde|where\s+(?:is|are)|wo\s+(?:ist|sind|liegt|liegen))\s+(?:me\s+|all\s+|every\s+|the\s+|any\s+|file\s+|alle\s+|die\s+|der\s+|das\s+|datei\s+)*(.+)$`),
		search:       re(`^(?:search|grep|look|suche?|durchsuche?)\b(?:\s+(?:through\s+)?(?:(?:all\s+)?the\s+|all\s+|my\s+|alle\s+|die\s+|den\s+|das\s+)?(?:files|folder|project|code|workspace|dateien|ordner|projekt))?\s+(?:for\s+|nach\s+)?(.+)$`),
		where:        re(`^(?:where\s+(?:is|are|do|does|did)|wo\s+(?:steht|wird|werden|kommt|ist))\s+(.+?)\s*(?:used|defined|declared|mentioned|called|occur|appear|benutzt|verwendet|definiert|vor)?$`),
		inside:       re(`^(.+?)\s+(?:in|im|within|inside|under|unter)\s+(?:the\s+|den\s+|der\s+|dem\s+|diesem\s+|this\s+|all\s+|my\s+|allen\s+)*(.+)$`),
		wordsBefore:  re(`^(?:(?:all|every|each|any|the|a|an|word|words|text|string|expression|occurrences?|of|das|dem|den|alle|wort|wörtern?|nach|for)\s+)+`),
		read:         re(`^(?:read|open|show|print|cat|head|display|view|type|summari[sz]e|explain|describe|quote|look\s+(?:at|into)|tell\s+me|what|give|lies|lese|zeige?|öffne|erkläre?|fasse?|beschreibe?|was|gib)(?:\s|$)`),
		lines:        re(`\b(?:lines?|zeilen?)\s+(\d+)(?:\s*(?:-|–|to|through|until|up\s+to|bis|and|und)\s*(\d+))?`),
		firstLines:   re(`\b(?:first|top|ersten?)\s+(\d+)\s+(?:lines|zeilen)`),
		list:         re(`\b(?:list|ls|dir|tree|files?|dateien|inhalt|contents?)\b|\bwhat(?:'s|\s+is|\s+do\s+you\s+see|\s+have\s+we)?\s+(?:in|inside|here|there)\b|\bwas\s+(?:ist|liegt|gibt\s+es|siehst\s+du|haben\s+wir)\b.*\b(?:hier|in|im)\b|\blook\s+around\b|\bzeige?\b.*\bordner\b|\bshow\b.*\b(?:folder|directory)\b`),
		folder:       re("\\b(?:in|inside|of|under|from|list|ls|tree|aus|von|im|unter|liste)\\s+(?:the\\s+|den\\s+|dem\\s+|der\\s+|this\\s+|diesem\\s+)?(?:folder\\s+|directory\\s+|ordner\\s+|verzeichnis\\s+)?[`\"']?([\\p{L}\\p{N}_./@+-]+)"),
		deep:         re(`\b(?:all|everything|recursive(?:ly)?|deep(?:ly)?|whole|tree|alle|alles|rekursiv|ganzen?)\b`),
		overview:     re(`(?:^|\W)(?:overview|summar\w+|explain|describe|tell\s+me\s+about|what\s+(?:is|does|kind)|about|überblick|beschreib\w*|erklär\w*|fass\w*|worum|was\s+(?:ist|macht))\b.*\b(?:project|program|app|repo(?:sitory)?|code(?:\s?base)?|folder|workspace|projekt|programm|ordner|verzeichnis)\b`),
		greet:        re(`^(?:hi|hello|hey|yo|good\s+(?:morning|afternoon|evening|day)|hallo|servus|moin|guten\s+\w+|grüß\w*|help|hilfe|\?)(?:\W|$)|\bwhat\s+(?:can|do)\s+you\s+(?:do|know|understand)|\bwho\s+are\s+you|\bwhat\s+are\s+you|\bare\s+you\s+an?\s+ai|\bhow\s+does\s+this\s+work|\bget\s+started|\bwas\s+kannst\s+du|\bwer\s+bist\s+du|\bwas\s+bist\s+du|\bbist\s+du\s+eine\s+ki`),
		thanks:       re(`^(?:thanks?|thank\s+you|thx|great|nice|cool|perfect|well\s+done|danke\w*|super|prima|toll|vielen\s+dank)\b`),
	}
})
