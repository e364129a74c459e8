import { defineErrors, notFound } from '#errors/define.ts'

export const KB_ERRORS = defineErrors({
  'kb.not_found': notFound('Knowledge base not found', 'kb_id'),
  'kb.name_taken': [409, 'A knowledge base with this name already exists. Choose another name.'],
  'kb.not_embedding': [
    400,
    'This language model does not create embeddings. Set embedding_model to local, or to a model with the embedding capability.',
  ],
  'kb.source_not_found': notFound('Source not found', 'source_id'),
  'kb.source_invalid': [400, '{reason}', 'validation'],
  'kb.too_many_sources': [400, 'A knowledge base can have at most {limit} sources. Delete one first.'],
  'kb.chunking_invalid': [400, 'overlap_tokens must be at most a quarter of max_tokens.', 'validation'],
  'kb.document_not_found': notFound('Document not found', 'document_id'),
  'kb.document_without_text': [
    409,
    'No text was extracted from this document. Check its status in its knowledge base.',
  ],
  'kb.document_too_long': [
    413,
    'The text of this document has {bytes} bytes, and at most {limit} can be read. Search the knowledge base instead.',
  ],
  'kb.chunk_not_found': notFound('Chunk not found', 'chunk_id'),
  'kb.changing': [409, 'This document is being reindexed. Try again when it is ready.'],
  'kb.dimensions': [
    409,
    'The embedding model now returns vectors of {now} dimensions instead of {before}. Reindex the knowledge base, and send embedding_model in that request.',
  ],
  'kb.filter_invalid': [400, '{reason}', 'validation'],
  'kb.window_too_small': [
    400,
    'The context window of this model is too small for the question and a passage. Choose a model with a larger window, or shorten system_prompt.',
  ],
  'kb.evaluation_not_found': notFound('Evaluation not found', 'evaluation_id'),
  'kb.run_not_found': notFound('Evaluation run not found', 'run_id'),
  'kb.documents_unknown': [400, 'These documents are not in this knowledge base: {ids}. Check their IDs.'],
  'kb.too_many_evaluations': [
    400,
    'A knowledge base can have at most {limit} evaluations. Delete one first.',
  ],
  'kb.too_many_runs': [
    409,
    'An evaluation can have at most {limit} runs in progress. Wait until one is complete.',
  ],

  'kb.read_once': 'Sources of type file and text are read only once. Add new content as another source.',
  'kb.embedding_timeout': 'The embedding model did not respond within {seconds} seconds. Try again later.',
  'kb.question_documents': 'questions.{index} must have document_ids or document_names.',
  'kb.rerank_without_scores': 'The reranking model did not return scores. Choose another model for rerank.',
  'kb.file_without_text': 'No text could be read from this file. Add a file that contains text.',
  'kb.no_document_read': 'None of the documents could be read. Check the error of each document.',
  'kb.indexing_failed': 'Something went wrong while this document was being indexed. Try again.',
  'kb.reading_failed': 'Something went wrong while this source was being read. Try again.',
  'kb.reading_timeout': 'Reading this source took longer than {hours} hours. Split it into smaller sources.',
  'kb.no_words': 'This document contains no words to index. Add one that contains text.',
  'kb.evaluation_failed': 'Something went wrong during this evaluation. Try again.',
  'kb.evaluation_timeout':
    'The run did not finish within {hours} hours. Start another one with fewer questions.',
  'kb.filter_key':
    'A key of filter must have at most {limit} characters, and no NUL character or unpaired surrogate.',
  'kb.filter_value': '{field} must be a value, or an object with in, gt, gte, lt, lte or exists.',
  'kb.filter_operator': '{field} is not a known condition. Use in, gt, gte, lt, lte or exists.',
  'kb.filter_empty': '{field} has no condition. Use in, gt, gte, lt, lte or exists.',
  'kb.filter_exists': '{field}.exists must be true or false.',
  'kb.filter_list': '{field}.in must be a list of at most {limit} strings, numbers or booleans.',
  'kb.filter_bound': '{field} must be a number, or a string of at most {limit} characters.',
})
