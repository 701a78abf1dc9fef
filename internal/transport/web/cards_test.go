package web

import (
	"cmp"
	"html/template"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/web/texts"
)

// cardsTemplate is what cards are, in a language that escapes by itself.
const cardsTemplate = `<ul class="cards">
{{range .Data}}<li class="card">
{{template "cover" .Project}}
<p class="card-title"><a href="/p/{{.Project.ID}}" dir="auto"{{with .Project.Lang}} lang="{{.}}"{{end}}>{{or .Project.Title .Project.ID}}</a></p>
{{if ne $.Title (print "@" .Project.Handle)}}<p class="card-maker"><a href="/@{{.Project.Handle}}">@{{.Project.Handle}}</a></p>
{{end}}<p class="card-counts">{{if .Stats.Players}}<span class="live">{{$.T "gallery.players" "n" .Stats.Players}}</span>
{{end}}{{if gt .Stats.Plays 0}}<span>{{$.T "gallery.plays" "n" .Stats.Plays}}</span>
{{end}}{{if gt .Stats.Likes 0}}<span>{{$.T "gallery.likes" "n" .Stats.Likes}}</span>{{end}}</p>
</li>
{{end}}</ul>
{{- define "cover"}}{{if .Cover}}<img class="cover" src="/i/{{.Cover.File 640}}" srcset="/i/{{.Cover.File 320}} 320w, /i/{{.Cover.File 640}} 640w" sizes="(min-width: 40rem) 18rem, 45vw" width="640" height="360" alt="" loading="lazy" decoding="async">
{{- else}}<span class="cover tile hue-{{hue .ID}} {{size .}}" aria-hidden="true"><span dir="auto"{{with .Lang}} lang="{{.}}"{{end}}>{{or .Title .ID}}</span></span>{{end}}{{end}}`

// TestCardsAreWhatATemplateMakesOfThem: whatever people wrote, in all languages, on all pages.
func TestCardsAreWhatATemplateMakesOfThem(t *testing.T) {
	t.Parallel()
	written := template.Must(template.New("cards").Funcs(template.FuncMap{
		"hue":  cover.HueOf,
		"size": func(p sandlot.Project) string { return titleSize(cmp.Or(p.Title, string(p.ID))) },
	}).Parse(cardsTemplate))
	var list []gallery.Card
	for i, title := range []string{"", "Pong", `"><script>alert('1')</script>`, "&amp; <b> \x00 ' ` = {{.}}", "カービィ \u202e 麻雀", strings.Repeat("é", 200), "-->", "\xff\xfe"} {
		for _, lang := range []string{"", "de", `x"><b>`} {
			list = append(list, gallery.Card{
				Project: sandlot.Project{
					ID: sandlot.ProjectID([]string{"game-abc123", "a-000000"}[i%2]), Handle: []string{"kim", "lee-2"}[i/2%2], Title: title, Lang: lang,
					Cover: []sandlot.PictureID{"", "", "", "jabc234", "pxyz567"}[i%5],
				},
				Stats: sandlot.Stats{Players: i % 3, Plays: int64(i * i * 1234567), Likes: int64(i) - 1},
			})
		}
	}
	for _, lang := range []string{"en", "de", "es", "fr", "ja", "pt", "zh-Hans"} {
		for _, title := range []string{"Sandlot", "@kim"} {
			v := view{visit: &visit{Voice: texts.Voice{Lang: lang}}, Title: title, Data: list}
			var want strings.Builder
			expect.OK(t, written.Execute(&want, v))
			expect.Equal(t, lang+" on "+title, string(v.Cards(list)), want.String())
		}
	}
}

// BenchmarkCards writes a page of them.
func BenchmarkCards(b *testing.B) {
	v := view{visit: &visit{Voice: texts.Voice{Lang: "en"}}, Title: "Sandlot"}
	list := make([]gallery.Card, 24)
	for i := range list {
		list[i] = gallery.Card{Project: sandlot.Project{ID: sandlot.ProjectID("game-abc1" + string(rune('a'+i))), Handle: "kim", Title: "A title"}, Stats: sandlot.Stats{Plays: int64(i), Likes: 1}}
	}
	for b.Loop() {
		v.Cards(list)
	}
}
