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
func (c *listCommand) neighbours(ctx context.Context, a operator, t *terminal) error {
	p, err := a.projectOf(ctx, c.SameNetwork)
	if err != nil {
		return err
	}
	found, err := a.blocks(ownNames{}).Neighbours(ctx, a.by, p.Account, mostNeighbours)
	if err != nil {
		return err
	}
	if c.What == "accounts" {
		lines, err := eachOf(found, func(n blocks.Neighbour) ([]nearAccountLine, error) {
			of, err := a.Accounts(ctx, a.by, n.Account-1, c.Suspended, 1)
			if err != nil || len(of) == 0 || of[0].ID != n.Account {
				return nil, err
			}
			return []nearAccountLine{{nearness(n), newAccountLine(of[0])}}, nil
		})
		if err != nil {
			return err
		}
		return list(c.listing, t, paged(lines))
	}
	lines, err := eachOf(found, func(n blocks.Neighbour) ([]nearProjectLine, error) {
		of, err := a.Projects(ctx, a.by, operate.ProjectQuery{Account: n.Account, Suspended: c.Suspended, Limit: mostNeighbours})
		return each(of, func(d operate.ProjectDetail) nearProjectLine { return nearProjectLine{nearness(n), newProjectLine(d)} }), err
	})
	if err != nil {
		return err
	}
	return list(c.listing, t, paged(lines))
}

// eachOf returns the records of each item of a list, in its order.
func eachOf[F, T any](list []F, of func(F) ([]T, error)) (all []T, err error) {
	for _, item := range list {
		some, err := of(item)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
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
