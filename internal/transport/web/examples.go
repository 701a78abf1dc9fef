package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"sandlot"
	"sandlot/examples"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

const examplesPath = "/new/examples"

// offers serves the pages on which operators publish the built-in examples, while the instance has no project.
type offers struct {
	form    beginnings
	service *publish.Service
	gallery *gallery.Service
}

func (p offers) routes() []route {
	return []route{
		{"GET", examplesPath, anyone, admission.Look, p.ask},
		{"POST", examplesPath, anyone, admission.Publish, form(maxForm, p.publish, "form_token", "email?")},
	}
}

// ask shows the examples. If there is a project, it redirects to the home page.
func (p offers) ask(v *visit) error {
	found, err := p.gallery.Home(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	if !(frontPage{Home: found}).Empty() || !v.operates() {
		return v.redirect("/")
	}
	return p.form.show(v, http.StatusOK, newPage{Examples: examples.All()})
}

// publish publishes the examples, once for a form token, and shows their addresses, and the keys of an account created
// for them.
func (p offers) publish(v *visit) error {
	if !v.operates() {
		return sandlot.ErrNotFound
	}
	if err := v.grant.Whole(); err != nil {
		return err
	}
	page := newPage{Examples: examples.All(), FormToken: v.r.PostForm.Get("form_token"), typed: typed{Email: v.r.PostForm.Get("email")}}
	if page.FormToken == "" {
		return v.problem(http.StatusBadRequest, "error.form")
	}
	var err error
	page.Made, err = p.publishAll(v, page)
	var refused *sandlot.Error
	switch {
	case errors.As(err, &refused):
		return p.form.refused(v, page, refused)
	case err != nil:
		return err
	}
	page.Done = &page.Made[0]
	page.Done.Keys.Project = "" // the account's key is good for both
	return p.form.show(v, http.StatusCreated, page)
}

// publishAll publishes the examples one after the other. Without a login the first creates an account, and the others
// go into it.
func (p offers) publishAll(v *visit, page newPage) (made []publish.Published, err error) {
	ctx, by := v.r.Context(), v.by
	for _, e := range page.Examples {
		about := publish.About{Description: &e.Description, Tags: e.Tags}
		in := publish.PublishInput{Lang: "en", About: about, Idempotency: page.FormToken + "-" + e.Folder}
		if by.Nobody() {
			in.Email, in.Lang = page.Email, v.Lang // also the language of the messages to the account
			if err := v.grant.Also(admission.Mail); err != nil {
				return nil, err
			}
		}
		if in.Tree, err = p.treeOf(ctx, e); err != nil {
			return nil, err
		}
		out, _, err := p.service.Publish(ctx, by, in)
		if err != nil {
			return nil, err
		}
		made = append(made, out)
		if out.Account == nil {
			continue
		}
		if !out.FromRecord {
			v.grant.Made()
		}
		if by, err = v.sessions.Identify(ctx, sandlot.Presented{Key: out.Keys.Account}, v.from()); err != nil {
			return nil, fmt.Errorf("use the account that was made: %w", err)
		}
	}
	return made, nil
}

// treeOf stages the files of an example.
func (p offers) treeOf(ctx context.Context, e examples.Example) (*publish.Tree, error) {
	files, err := fs.Sub(examples.Files(), e.Folder)
	if err != nil {
		return nil, err
	}
	tree := p.service.Contents.NewTree(nil) // the program's own files were not received
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := files.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return tree.Add(ctx, name, publish.Declared{}, f)
	})
	if err != nil {
		p.service.Contents.DiscardTree(ctx, tree)
		return nil, err
	}
	return tree, nil
}
