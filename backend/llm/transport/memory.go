package transport

import "sync"

const maxConversations = 1000

// Conversations is a set of conversations, by their cache key: those whose kept reasoning a provider has refused. It
// forgets all when it is full; each is then refused once more.
type Conversations struct {
	mu  sync.Mutex
	set map[string]struct{}
}

// Has tells whether a conversation is in the set.
func (c *Conversations) Has(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.set[key]
	return ok
}

// Add puts a conversation into the set and tells whether it is new there.
func (c *Conversations) Add(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.set[key]; ok {
		return false
	}
	if c.set == nil || len(c.set) >= maxConversations {
		c.set = map[string]struct{}{}
	}
	c.set[key] = struct{}{}
	return true
}
