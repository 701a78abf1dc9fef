package main

import (
	"fmt"
	"os"

	"sandlot/internal/format/lure"
	"sandlot/internal/transport/web/brand"
)

// brandSettings say how the instance presents itself.
type brandSettings struct {
	SiteName string `placeholder:"NAME" help:"Name of this instance on pages, in messages and feeds. (default: Sandlot)"`
	SiteLine string `placeholder:"TEXT" help:"First line of the home page. (default: one in the visitor's language)"`
	Accent   string `placeholder:"#RRGGBB" help:"Color of links and buttons, for light pages. (default: Sandlot's)"`
	Mark     string `placeholder:"FILE" help:"Picture beside the name: SVG or square PNG, at most 64 KiB. (default: Sandlot's)"`
}

// brand returns how the instance presents itself, with the mark as the file is now.
func (s brandSettings) brand() (b brand.Brand, err error) {
	b.Name, b.Line = s.SiteName, s.SiteLine
	if err := b.Check(); err != nil {
		return b, err
	}
	if b.Accent, err = brand.ParseAccent(s.Accent); err != nil {
		return b, fmt.Errorf("--accent: %w", err)
	}
	if s.Mark != "" {
		if b.Mark, err = brand.ReadMark(s.Mark); err != nil {
			return b, fmt.Errorf("--mark: %w", err)
		}
	}
	return b, nil
}

// brands returns the names that titles must not resemble.
func (s settings) brands() (*lure.Brands, error) {
	if s.BrandsFile == "" {
		return lure.BuiltIn(), nil
	}
	list, err := os.ReadFile(s.BrandsFile)
	if err != nil {
		return nil, fmt.Errorf("--brands-file: %w", err)
	}
	b, err := lure.ParseBrands(string(list))
	if err != nil {
		return nil, fmt.Errorf("--brands-file %s: %w: write one name a line, and # before a comment", s.BrandsFile, err)
	}
	return b, nil
}
