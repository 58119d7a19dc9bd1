package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/command/migrate"
	"github.com/landbridge-io/landbridge/internal/command/state"
)

// write writes the manifests.
func (m *migration) write(result importer.Result) error {
	first, err := m.providers()
	if err != nil {
		return err
	}
	if !m.sensitive {
		for i := range first {
			withoutSecrets(&first[i])
		}
		result.Manifests = slices.DeleteFunc(result.Manifests, func(x importer.Manifest) bool {
			if x.State == nil || !m.holdsSecrets(x) {
				return false
			}
			result.Left = append(result.Left, importer.Left{
				Origin: x.Origin,
				Reason: "what is stored of its object has sensitive values, and it cannot be imported " +
					"instead. Give --" + showSensitive + " to write them, or --hand-over",
			})
			return true
		})
		for i := range result.Manifests {
			withoutSecrets(&result.Manifests[i])
		}
	}
	if len(result.Manifests) > 0 {
		all := append(slices.Clone(first), result.Manifests...)
		if m.directory != "" {
			err = importer.WriteDir(m.directory, all)
		} else {
			err = importer.Write(m.cmd.OutOrStdout(), all)
		}
		if err != nil {
			return err
		}
	}
	w := m.cmd.ErrOrStderr()
	for _, x := range first {
		for _, note := range x.Notes {
			fmt.Fprintf(w, "Note: %s %s: %s\n", x.Resource.GetKind(), x.Resource.GetName(), printable(note))
		}
	}
	summary := importSummary{flags: &importFlags{directory: m.directory}, skipped: m.ended, left: result.Left}
	summary.add(result.Manifests...)
	return summary.tell(w)
}

// holdsSecrets reports whether the resource type of a manifest has sensitive attributes.
func (m *migration) holdsSecrets(x importer.Manifest) bool {
	for _, p := range m.r.providers {
		for _, t := range p.model.Resources {
			if t.GroupVersionKind() == x.Resource.GroupVersionKind() {
				return t.Root().HasSecrets()
			}
		}
	}
	return true
}

// withoutSecrets replaces the Secret with inputs by a note.
func withoutSecrets(x *importer.Manifest) {
	if x.Inputs == nil {
		return
	}
	keys := make([]string, 0, len(x.Inputs.Data))
	for key := range x.Inputs.Data {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	x.Notes = append(x.Notes,
		fmt.Sprintf("Sensitive: create the Secret %s/%s with the keys %s. --%s writes it, and "+
			"--hand-over creates it.", x.Inputs.Namespace, x.Inputs.Name, strings.Join(keys, ", "), showSensitive))
	x.Inputs = nil
}

// handedOver reports whether an old resource needs no plan, since its hand-over has ended, or its
// new resource exists.
func (m *migration) handedOver(o migrate.Upjet) (bool, error) {
	to, done, err := migrate.HandedOver(o.Unstructured)
	switch {
	case err != nil:
		return false, fmt.Errorf("%s: %w", o.Place(), err)
	case to == "":
		return false, nil
	case !m.handOver && !m.dryRun:
		state := "its hand-over to %s has begun. End it with --hand-over, or give --undo"
		if done {
			state = "it was handed over to %s"
		}
		m.builder.Leave(importer.Left{Origin: o.Place(), Reason: fmt.Sprintf(state, to)})
		return true, nil
	}
	there, err := m.handing().Begun(m.cmd.Context(), o)
	if err != nil {
		return false, fmt.Errorf("%s: %w", o.Title(), err)
	}
	switch {
	case done && there:
		m.ended = append(m.ended, fmt.Sprintf("%s: handed over to %s before.", o.Title(), to))
	case there || done:
		m.begun = append(m.begun, migrate.Step{Old: o})
	}
	return there || done, nil
}

func (m *migration) handing() *migrate.HandOver { return m.migrateFlags.handing(m.cmd, m.r) }

func (f *migrateFlags) handing(cmd *cobra.Command, r *remote) *migrate.HandOver {
	out := cmd.OutOrStdout()
	return &migrate.HandOver{
		Client: r.client, System: f.system, Patience: f.operationTimeout, Stopped: f.stopped,
		Tell: func(resource, step string) { fmt.Fprintf(out, "%s: %s\n", resource, step) },
	}
}

// hand hands the objects over, or tells what would be.
func (m *migration) hand(result importer.Result, takeovers map[string]*migrate.Takeover) error {
	ctx, out, w := m.cmd.Context(), m.cmd.OutOrStdout(), m.cmd.ErrOrStderr()
	steps := slices.Clone(m.begun)
	refused := 0
	taken := func(origin string) bool { t := takeovers[origin]; return t != nil && t.Item.Declared.Taken }
	for _, x := range result.Manifests {
		if taken(x.Origin) {
			continue
		}
		s := migrate.Step{Old: takeovers[x.Origin].Old, New: x, Copies: takeovers[x.Origin].Copies}
		if x.Observes != "" {
			refused++
			fmt.Fprintf(w, "%s: %s.\n", printable(x.Origin), printable(x.Observes))
			for _, line := range s.Differences() {
				fmt.Fprintf(w, "    %s\n", printable(line))
			}
			continue
		}
		steps = append(steps, s)
	}
	for _, l := range result.Left {
		if taken(l.Origin) {
			continue
		}
		refused++
		fmt.Fprintf(w, "%s: %s.\n", printable(l.Origin), printable(strings.TrimSuffix(l.Reason, ".")))
	}
	for _, line := range m.ended {
		fmt.Fprintln(w, line)
	}
	if m.dryRun {
		return m.tellDryRun(steps, refused)
	}
	switch {
	case refused > 0 && !m.partial:
		return fmt.Errorf("nothing was changed: %s cannot be handed over. Mend that, select others, "+
			"or give --partial", plural(refused, "resource"))
	case len(steps) == 0 && refused == 0:
		fmt.Fprintln(out, "Nothing is left to hand over.")
		return nil
	case len(steps) == 0:
		return exit{1}
	}
	h := m.handing()
	tell, done := showSteps(m.cmd, "Handing over")
	defer done()
	h.Tell = tell
	first, err := m.providers()
	if err != nil {
		return err
	}
	for _, x := range first {
		if x.Folder != importer.ProviderFolder {
			continue
		}
		if err := h.Install(ctx, x); err != nil {
			return err
		}
	}
	for _, c := range m.translated {
		if err := h.Configure(ctx, c); err != nil {
			return err
		}
	}
	if err := h.Served(ctx, steps); err != nil {
		return err
	}
	if err := h.Run(ctx, steps); err != nil {
		return err
	}
	done()
	for _, s := range steps {
		for _, note := range s.New.Notes {
			fmt.Fprintf(w, "Note: %s: %s\n", s.Old.Title(), printable(note))
		}
	}
	fmt.Fprintf(out, "%s handed over.\n", plural(len(steps), "resource"))
	if refused > 0 {
		return exit{2}
	}
	return nil
}

// tellDryRun tells what would be handed over.
func (m *migration) tellDryRun(steps []migrate.Step, refused int) error {
	out := m.cmd.OutOrStdout()
	for _, s := range steps {
		if s.New.Resource == nil {
			fmt.Fprintf(out, "%s: the rest of its hand-over would be done\n", s.Old.Title())
			continue
		}
		u := s.New.Resource
		fmt.Fprintf(out, "%s: would be handed over to %s %s/%s, which changes nothing\n", s.Old.Title(), u.GetKind(),
			u.GetNamespace(), u.GetName())
	}
	fmt.Fprintf(out, "%s would be handed over", plural(len(steps), "resource"))
	if refused > 0 {
		fmt.Fprintf(out, ", and %d would not", refused)
	}
	fmt.Fprintln(out, ".")
	switch {
	case refused > 0 && len(steps) == 0:
		return exit{1}
	case refused > 0:
		return exit{2}
	}
	return nil
}

// undoAll gives the objects back to the old resources.
func (f *migrateFlags) undoAll(cmd *cobra.Command, args []string) error {
	config, namespace, err := f.clusterFlags.config()
	if err != nil {
		return err
	}
	c, err := state.Open(config, f.system)
	if err != nil {
		return err
	}
	s := migrate.Selection{Arguments: args, Namespace: namespace}
	if f.everywhere {
		s.Namespace = ""
	}
	found, err := migrate.Read(cmd.Context(), c, s)
	if err != nil {
		return err
	}
	var all []migrate.Upjet
	for _, u := range found.Resources {
		to, _, err := migrate.HandedOver(u)
		if err != nil {
			return err
		}
		if to != "" {
			all = append(all, migrate.Upjet{Unstructured: u})
		}
	}
	if len(all) == 0 {
		return errors.New("none of these resources was handed over")
	}
	h := f.handing(cmd, &remote{client: c})
	if err := h.Undo(cmd.Context(), all, f.force); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s given back.\n", plural(len(all), "resource"))
	return nil
}
