package catalogue

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mobius/backend/wire"
)

var update = flag.Bool("update", false, "write models.txt")

// made is what models.txt should be.
func made() string {
	var b strings.Builder
	providers := embedded.GetAll()
	slices.SortFunc(providers, func(x, y catwalk.Provider) int { return cmp.Compare(x.ID, y.ID) })
	for _, p := range providers {
		fmt.Fprintf(&b, "#%s\n", p.ID)
		models := slices.Clone(p.Models)
		slices.SortFunc(models, func(x, y catwalk.Model) int { return cmp.Compare(x.ID, y.ID) })
		for i := range models {
			b.WriteString(line(&models[i], string(p.ID)))
		}
	}
	return b.String()
}

func line(m *catwalk.Model, provider string) string {
	abilities, efforts := "", m.ReasoningLevels
	if m.CanReason {
		abilities += "r"
		if len(efforts) == 0 && (provider == "anthropic" || provider == "gemini") {
			efforts = []string{"low", "medium", "high"} // they become budgets
		}
	}
	if m.SupportsImages {
		abilities += "i"
	}
	p := prices(m)
	clean := strings.NewReplacer("\t", " ", "\n", " ", "#", "")
	return fmt.Sprintf("%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", clean.Replace(m.ID), clean.Replace(m.Name), m.ContextWindow, m.DefaultMaxTokens, abilities, strings.Join(efforts, ","),
		number(p.Input), number(p.Output), number(p.CacheRead), number(p.CacheWrite))
}

// number is a price without the noise of computing.
func number(f float64) string {
	if f <= 0 {
		return ""
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 6, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// prices sorts the prices of the cache out. The list has two, of which the first is sometimes what writing costs and the
// second what reading does, and sometimes the first or both are reading. What is written to a cache costs no less than
// input, what is read from it less, so the amount tells which is which; an amount that is the output's is no cache price.
func prices(m *catwalk.Model) *wire.Prices {
	p := &wire.Prices{Input: m.CostPer1MIn, Output: m.CostPer1MOut}
	for _, v := range [...]float64{m.CostPer1MInCached, m.CostPer1MOutCached} { // the second is the more reliable for reading
		switch {
		case v <= 0:
		case v < p.Input:
			p.CacheRead = v
		case v < p.Output:
			p.CacheWrite = v
		}
	}
	return p
}

func TestTheListIsFresh(t *testing.T) {
	want := made()
	if *update {
		require.NoError(t, os.WriteFile("models.txt", []byte(want), 0o600))
		return
	}
	assert.True(t, list == want, "models.txt is out of date: go test ./backend/llm/catalogue -update")
}

func TestEveryModelOfTheListIsFoundWithItsNumbers(t *testing.T) {
	var c Catalogue
	for _, p := range embedded.GetAll() {
		for i := range p.Models {
			m := &p.Models[i]
			got, ok := exact(section(string(p.ID)), m.ID)
			require.True(t, ok, "%s %s", p.ID, m.ID)
			assert.Equal(t, m.ContextWindow, got.ContextWindow)
			assert.InEpsilon(t, 1+m.CostPer1MOut, 1+got.Prices.Output, 1e-5)
			assert.Equal(t, m.SupportsImages, got.Images)
		}
	}
	assert.Len(t, c.Known("anthropic"), strings.Count(section("anthropic"), "\n"))
}
