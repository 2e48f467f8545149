package llm

import "crypto/rand"

// Builder collects a streaming answer and emits its pieces. Adapters feed it as they decode.
type Builder struct {
	emit   func(Piece)
	blocks []Block
	texts  [][]byte
	size   int
}

// NewBuilder makes a builder that passes every piece on to emit.
func NewBuilder(emit func(Piece)) *Builder { return &Builder{emit: emit} }

// Append adds text or reasoning: to the last block if it is of that kind, else to a new one.
func (b *Builder) Append(kind BlockKind, text string) {
	if text == "" {
		return
	}
	last := len(b.blocks) - 1
	if last < 0 || b.blocks[last].Kind != kind || b.blocks[last].Meta != "" {
		b.open(Block{Kind: kind}, text)
		return
	}
	b.add(last, text)
}

// Open begins a block of its own and gives its index. Use it where the protocol says where blocks begin.
func (b *Builder) Open(block Block) int {
	b.open(block, "")
	return len(b.blocks) - 1
}

func (b *Builder) open(block Block, text string) {
	b.blocks = append(b.blocks, block)
	b.texts = append(b.texts, append(make([]byte, 0, 256), text...))
	b.size += len(text)
	b.emit(Piece{Index: len(b.blocks) - 1, Kind: block.Kind, CallID: block.CallID, Name: block.Name, Text: text})
}

// Add appends to the block with this index: text, or the arguments of a call.
func (b *Builder) Add(index int, text string) {
	if text != "" {
		b.add(index, text)
	}
}

func (b *Builder) add(index int, text string) {
	b.texts[index] = append(b.texts[index], text...)
	b.size += len(text)
	b.emit(Piece{Index: index, Text: text})
}

// SetMeta stores what the provider wants back with a block.
func (b *Builder) SetMeta(index int, meta string) { b.blocks[index].Meta = meta }

// Size is the number of bytes collected.
func (b *Builder) Size() int { return b.size }

// HasText tells whether a block has any text yet.
func (b *Builder) HasText(index int) bool { return len(b.texts[index]) > 0 }

// Text is what a block has so far.
func (b *Builder) Text(index int) string { return string(b.texts[index]) }

// Blocks gives the collected blocks. Blocks of text without any are left out unless they carry metadata.
func (b *Builder) Blocks() []Block {
	out := make([]Block, 0, len(b.blocks))
	for i, block := range b.blocks {
		if block.Kind == ToolCall {
			block.Args = string(b.texts[i])
		} else {
			block.Text = string(b.texts[i])
			if block.Text == "" && block.Meta == "" {
				continue
			}
		}
		out = append(out, block)
	}
	return out
}

// Find gives the index of the first block of a kind, -1 when there is none.
func (b *Builder) Find(kind BlockKind) int {
	for i, block := range b.blocks {
		if block.Kind == kind {
			return i
		}
	}
	return -1
}

// HasCalls tells whether the answer calls a tool.
func (b *Builder) HasCalls() bool {
	for _, block := range b.blocks {
		if block.Kind == ToolCall {
			return true
		}
	}
	return false
}

// NewCallID makes an id for a call that came without one. It is unique, so that no two calls of a conversation share it.
func NewCallID() string { return "call_" + rand.Text()[:20] }
