package catalogue

import (
	"math"

	"mobius/backend/llm"
	"mobius/backend/wire"
)

const mostCost = math.MaxInt64 / 4 // in millionths; sums of a few costs must not overflow either

// Cost prices usage in millionths of a US dollar: dollars a million tokens are millionths a token. Each of the four kinds
// of token has its own price. A cache price that is not known (0 while input costs something) counts as input, which is
// never less than reading costs and close to what writing does. 0 when prices are nil.
func Cost(u llm.Usage, p *wire.Prices) int64 {
	if p == nil {
		return 0
	}
	read, write := p.CacheRead, p.CacheWrite
	if read <= 0 {
		read = p.Input
	}
	if write <= 0 {
		write = p.Input
	}
	sum := amount(u.Input, p.Input) + amount(u.Output, p.Output) + amount(u.CacheRead, read) + amount(u.CacheWrite, write)
	if sum >= mostCost {
		return mostCost
	}
	return int64(math.Round(sum))
}

// amount is tokens times price; what makes no sense costs nothing.
func amount(tokens int64, price float64) float64 {
	if tokens <= 0 || !(price > 0) || math.IsInf(price, 0) {
		return 0
	}
	return float64(tokens) * price
}
