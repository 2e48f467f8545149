package modeltest

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The commands of [Obey].
var (
	sayCommand    = regexp.MustCompile(`(?i)\b(say|reason) (\d+)(?: every (\d+(?:\.\d+)?)(ms|us|s))?`)
	callCommand   = regexp.MustCompile(`(?i)\bcall ([a-zA-Z0-9_-]+)(?: (\{.*\}))?`)
	statusCommand = regexp.MustCompile(`(?i)\bstatus (\d{3})(?: retry (\d+))?`)
)

// Obey is a script that does what the newest message of the user says:
//
//	say 5000                 that many deltas without delay
//	say 100 every 5ms        paced
//	reason 20, say 50        reasoning before the answer
//	call read {"path":"a"}   one tool call; when its result is there, it says so
//	status 429 retry 1       an error
//
// Anything else is answered with a sentence.
func Obey(r *Request) Reply {
	said := r.LastUser()
	if last := r.Last(); len(last.Results) > 0 && callCommand.MatchString(said) {
		return Say("The tool gave " + strconv.Itoa(len(last.Results[0].Text)) + " bytes.")
	}
	if m := statusCommand.FindStringSubmatch(said); m != nil {
		status, _ := strconv.Atoi(m[1])
		reply := Fail(status)
		if m[2] != "" {
			reply.Header = http.Header{"Retry-After": {m[2]}}
		}
		return reply
	}
	var reply Reply
	for _, m := range sayCommand.FindAllStringSubmatch(said, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil || n > 10_000_000 {
			continue
		}
		part := Words(n)
		if strings.EqualFold(m[1], "reason") {
			part.Kind = ReasonPart
		}
		reply.Parts = append(reply.Parts, part)
		if m[3] != "" {
			every, _ := time.ParseDuration(m[3] + m[4])
			reply.Delay = every
		}
	}
	if m := callCommand.FindStringSubmatch(said); m != nil {
		args := m[2]
		if args == "" {
			args = "{}"
		}
		reply.Parts = append(reply.Parts, Call(m[1], args))
	}
	if len(reply.Parts) == 0 {
		return Say("I am a model made for tests.")
	}
	return reply
}
