package status

// AdoptionOf is adopt.
var AdoptionOf = adopt

// ProposalOf is proposalOf.
var ProposalOf = proposalOf
