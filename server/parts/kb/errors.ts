import { defineErrors } from '#errors/define.ts'

export const KB_ERRORS = defineErrors({
  'kb.not_found': [404, 'Knowledge base not found'],
  'kb.name_taken': [409, 'This organization has a knowledge base with this name already'],
  'kb.not_embedding': [
    400,
    'This language model does not embed text. Choose local, or a model with the capability embedding.',
  ],
  'kb.source_not_found': [404, 'Source not found'],
  'kb.source_invalid': [400, '{reason}', 'validation'],
  'kb.too_many_sources': [400, 'A knowledge base has at most {limit} sources'],
  'kb.chunking_invalid': [400, 'overlap_tokens must be at most a quarter of max_tokens', 'validation'],
  'kb.document_not_found': [404, 'Document not found'],
  'kb.chunk_not_found': [404, 'Chunk not found'],
  'kb.changing': [409, 'This document is being indexed anew: try again when it is ready'],
  'kb.dimensions': [
    409,
    'The embedding model makes vectors of {now} numbers now, and made {before} before. Use reindex with embedding_model.',
  ],
  'kb.filter_invalid': [400, '{reason}', 'validation'],
  'kb.window_too_small': [
    400,
    'No passage fits into the context window of this model beside the question. Choose one with a larger window, or a shorter system_prompt.',
  ],
  'kb.evaluation_not_found': [404, 'Evaluation not found'],
  'kb.run_not_found': [404, 'Evaluation run not found'],
  'kb.documents_unknown': [400, 'Not documents of this knowledge base: {ids}'],
  'kb.too_many_evaluations': [400, 'A knowledge base has at most {limit} evaluations: delete one first'],
  'kb.too_many_runs': [409, '{limit} runs of this evaluation are under way: wait until one has ended'],
})
