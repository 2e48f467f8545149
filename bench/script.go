package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"mobius/backend/llm/modeltest"
)

// script obeys the newest message, and knows a few failures that pass: "twice 429", "twice 500", "twice 529", "drop once".
type script struct {
	mu     sync.Mutex
	failed map[string]int
}

func (s *script) answer(r *modeltest.Request) modeltest.Reply {
	said := r.LastUser()
	var status int
	if n, _ := fmt.Sscanf(said, "twice %d", &status); n == 1 && s.count(said) <= 2 {
		reply := modeltest.Fail(status)
		if status == http.StatusTooManyRequests {
			reply.Header = http.Header{"Retry-After": {"1"}}
		}
		return reply
	}
	if strings.HasPrefix(said, "drop once") && s.count(said) == 1 {
		reply := modeltest.SayWords(20)
		reply.Fault, reply.After = modeltest.FaultDrop, 10
		return reply
	}
	return modeltest.Obey(r)
}

func (s *script) count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = map[string]int{}
	}
	s.failed[what]++
	return s.failed[what]
}
