package main

import (
	"context"

	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/blocks"
)

// mostNeighbours is the most accounts of one network that are listed, and the most projects of each.
const mostNeighbours = 1000

// neighbours lists the accounts that published from the network of a project, or from the wider one around it, or the
// projects of these accounts.
func (c *listCommand) neighbours(ctx context.Context, t *terminal) error {
	if c.What == "accounts" {
		return near(ctx, c, t, func(a operator, n blocks.Neighbour) ([]nearAccountLine, error) {
			of, err := a.Accounts(ctx, a.by, n.Account-1, c.Suspended, 1)
			if err != nil || len(of) == 0 || of[0].ID != n.Account {
				return nil, err
			}
			return []nearAccountLine{{nearness(n), newAccountLine(of[0])}}, nil
		})
	}
	return near(ctx, c, t, func(a operator, n blocks.Neighbour) ([]nearProjectLine, error) {
		of, err := a.Projects(ctx, a.by, operate.ProjectQuery{Account: n.Account, Suspended: c.Suspended, Limit: mostNeighbours})
		return each(of, func(d operate.ProjectDetail) nearProjectLine { return nearProjectLine{nearness(n), newProjectLine(d)} }), err
	})
}

// near lists the records of each neighbour of a project.
func near[T any](ctx context.Context, c *listCommand, t *terminal, of func(operator, blocks.Neighbour) ([]T, error)) error {
	return listAll(ctx, c.listing, t, func(a operator) (all []T, err error) {
		p, err := a.projectOf(ctx, c.SameNetwork)
		if err != nil {
			return nil, err
		}
		found, err := a.blocks(ownNames{}).Neighbours(ctx, a.by, p.Account, mostNeighbours)
		for i := 0; err == nil && i < len(found); i++ {
			var some []T
			some, err = of(a, found[i])
			all = append(all, some...)
		}
		return all, err
	})
}

func nearness(n blocks.Neighbour) string {
	if n.Same {
		return "same"
	}
	return "around"
}

// nearAccountLine and nearProjectLine begin with the network that is shared: "same", or the wider one "around" it.
type nearAccountLine struct {
	Network string `json:"network"`
	accountLine
}

type nearProjectLine struct {
	Network string `json:"network"`
	projectLine
}
