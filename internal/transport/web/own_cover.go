package web

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/mediatype"
	"sandlot/internal/format/picture"
	"sandlot/internal/transport/intake"
	"sandlot/internal/transport/web/texts"
)

// pictureForm bounds the form with a picture in bytes: there are a few beside it.
const pictureForm = picture.MaxBytes + 16<<10

// ownCovers serves the pages on which owners choose pictures.
type ownCovers struct {
	covers *cover.Service
	own    *ownPages
}

func (p ownCovers) routes() []route {
	const at, portrait = "/account/projects/{id}/cover", "/account/settings/portrait"
	return []route{
		{"GET", at, owner, admission.Look, p.cover},
		{"POST", at, owner, admission.Upload, p.upload},
		{"POST", at + "/choose", owner, admission.Look, form(maxForm, p.choose, "wish", "file?")},
		{"GET", portrait, owner, admission.Look, p.portrait},
		{"POST", portrait, owner, admission.Upload, p.setPortrait},
		{"POST", portrait + "/remove", owner, admission.Look, form(maxForm, p.removePortrait)},
	}
}

// coverPage holds the data of the page of a project's cover.
type coverPage struct {
	cover.Mine
	Project sandlot.Project
	Wrong   string
	Of      string // the source of the cover
	Told    []toldFinding
	Wanted  string // a file that was refused
	Files   []coverFile
	More    bool // whether the project has more pictures than are shown
}

// A coverFile is a picture among a project's files.
type coverFile struct {
	Name, Address string
	Chosen        bool
}

// maxCoverFiles bounds the pictures of a project on a page; the owner types the names of others.
const maxCoverFiles = 60

// A toldFinding is an unusable picture with the reason in the visitor's language.
type toldFinding struct{ File, Why string }

func (p ownCovers) cover(v *visit) error { return p.show(v, http.StatusOK, coverPage{}) }

func (p ownCovers) show(v *visit, status int, page coverPage) error {
	m, err := p.own.manage(v)
	if err != nil {
		return err
	}
	page.Project = m.Project
	if page.Mine, err = p.covers.Cover(v.r.Context(), v.by, v.ownID()); err != nil {
		return err
	}
	page.Files, page.More = coverFiles(m, page.Findings)
	page.Project.Cover, page.Of = page.Cover, v.madeOf(page.Mine)
	page.Told = toldOf(v, page.Mine)
	for i, f := range page.Files {
		page.Files[i].Chosen = f.Name == page.Wanted || page.Wanted == "" && page.Wish == cover.OfFile && f.Name == page.File
	}
	return v.show(status, "own_cover.html", v.T("cover.title"), page)
}

// toldOf returns the reason for each unusable picture.
func toldOf(v *visit, mine cover.Mine) (told []toldFinding) {
	for _, f := range mine.Findings {
		told = append(told, toldFinding{f.File, v.wrong(&f.Problem)})
	}
	return told
}

// coverFiles lists the pictures that can be a cover, except those with a finding, and reports whether there are more.
func coverFiles(m publish.Managed, found []cover.Finding) (list []coverFile, more bool) {
	none := map[string]bool{}
	for _, f := range found {
		none[f.File] = true
	}
	for _, f := range m.Files {
		if none[f.Name] {
			continue
		}
		switch mediatype.Of(f.Name, false) {
		case "image/png", "image/jpeg", "image/webp":
		default:
			continue
		}
		switch at := pictureAt(m.Addresses, f); {
		case at == "":
		case len(list) == maxCoverFiles:
			return list, true
		default:
			list = append(list, coverFile{Name: f.Name, Address: at})
		}
	}
	return list, false
}

// problemTexts maps the problems of pictures to their texts.
var problemTexts = map[picture.Kind]string{
	picture.OtherFormat: "cover.problem-format", picture.Moving: "cover.problem-moving", picture.TooManyBytes: "cover.problem-bytes",
	picture.TooManyPixels: "cover.problem-pixels", picture.TooMuchMemory: "cover.problem-memory", picture.TooSmall: "cover.problem-small",
	picture.Damaged: "cover.problem-damaged", picture.Slow: "cover.problem-slow", cover.Missing: "cover.problem-missing",
}

// wrong returns the text of a picture's problem.
func (v *visit) wrong(p *picture.Problem) string {
	return v.T(cmp.Or(problemTexts[p.Kind], "cover.problem-not-a-picture"), "format", p.Format, "mb", picture.MaxBytes>>20)
}

// sourceTexts maps the sources of covers to their texts.
var sourceTexts = map[cover.Source]string{
	cover.FromUpload: "cover.from-upload", cover.FromChosen: "cover.from-file", cover.FromCover: "cover.from-cover",
	cover.FromDocument: "cover.from-document", cover.FromShot: "cover.from-shot",
}

// madeOf returns the text of a cover's source.
func (v *visit) madeOf(m cover.Mine) string {
	if m.Due {
		return v.T("cover.due")
	}
	return v.T(cmp.Or(sourceTexts[m.Source], "cover.from-none"), "file", texts.Isolated(m.File))
}

// upload makes the picture in the form the cover.
func (p ownCovers) upload(v *visit) error {
	err := takePicture(v, func(r io.Reader) error { return p.covers.Upload(v.r.Context(), v.by, v.ownID(), r) })
	return p.chosen(v, err, coverPage{})
}

func (p ownCovers) choose(v *visit) error {
	ctx, file := v.r.Context(), v.r.PostForm.Get("file")
	switch v.r.PostForm.Get("wish") {
	case "automatic":
		return p.chosen(v, p.covers.ChooseAutomatic(ctx, v.by, v.ownID()), coverPage{})
	case "none":
		return p.chosen(v, p.covers.ChooseNone(ctx, v.by, v.ownID()), coverPage{})
	}
	return p.chosen(v, p.covers.ChooseFile(ctx, v.by, v.ownID(), file), coverPage{Wanted: file})
}

// chosen redirects to the page of the cover, or shows the problem of a picture on it.
func (p ownCovers) chosen(v *visit, err error, page coverPage) error {
	var problem *picture.Problem
	switch {
	case err == nil:
		return v.done(v.ownPath()+"/cover", "said.saved")
	case errors.As(err, &problem):
		page.Wrong = v.wrong(problem)
	case errors.Is(err, sandlot.ErrNotFound) && page.Wanted != "":
		page.Wrong = v.T("cover.problem-missing")
	default:
		return err
	}
	return p.show(v, http.StatusUnprocessableEntity, page)
}

// takePicture streams the picture of a form to take.
func takePicture(v *visit, take func(io.Reader) error) error {
	if v.r.ContentLength > pictureForm {
		return &picture.Problem{Kind: picture.TooManyBytes}
	}
	found := false
	form := intake.Form{Most: pictureForm, Files: "picture", Take: func(_ map[string]string, _ string, r io.Reader) error {
		found = true
		return take(r)
	}}
	_, err := form.Read(v.w, v.r, v.grant)
	if errors.Is(err, intake.ErrBroken) || err == nil && !found {
		return &picture.Problem{Kind: picture.NotPicture}
	}
	return err
}

// portraitPage holds the data of the page of an account's portrait.
type portraitPage struct{ Wrong string }

func (p ownCovers) portrait(v *visit) error {
	return v.show(http.StatusOK, "portrait.html", v.T("portrait.title"), portraitPage{})
}

func (p ownCovers) setPortrait(v *visit) error {
	err := takePicture(v, func(r io.Reader) error { return p.covers.SetPortrait(v.r.Context(), v.by, r) })
	var problem *picture.Problem
	if errors.As(err, &problem) {
		return v.show(http.StatusUnprocessableEntity, "portrait.html", v.T("portrait.title"), portraitPage{v.wrong(problem)})
	}
	if err != nil {
		return err
	}
	return v.done("/account/settings/portrait", "said.saved")
}

func (p ownCovers) removePortrait(v *visit) error {
	if err := p.covers.RemovePortrait(v.r.Context(), v.by); err != nil {
		return err
	}
	return v.done("/account/settings/portrait", "said.saved")
}

// portrait returns the picture of an account, round and 96 pixels wide, or else the first letter of its handle. Screen
// readers skip it: the handle stands beside it.
func portrait(id sandlot.PictureID, handle string) template.HTML {
	if id == "" {
		of := initial{handle}
		return template.HTML(fmt.Sprintf(`<span class="portrait hue-%d" aria-hidden="true">%s</span>`, of.Hue(), esc(of.Letter())))
	}
	small, large := esc(id.File(96)), esc(id.File(256))
	return template.HTML(fmt.Sprintf(`<img class="portrait" src="/i/%s" srcset="/i/%[1]s 1x, /i/%[2]s 2x" width="96" height="96"`+
		` alt="" decoding="async">`, small, large))
}
