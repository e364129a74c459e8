import { defineErrors } from '#errors/define.ts'

export const DOCUMENTS_ERRORS = defineErrors({
  'document.encrypted': 'This {kind} is encrypted. Remove its password and send it again.',
  'document.damaged': 'This {kind} could not be read: the file is damaged.',
  'document.no_text': 'This {kind} contains no text.',
  'document.no_text_in_pdf': 'This PDF contains no text: its pages are empty or pictures.',
  'document.type': 'Files of this type are stored, but their text is not read.',
  'document.not_its_type': 'This file is not what its name says.',
  'document.busy': 'Too many files are being read. Try again in a moment.',
  'document.stopping': 'The server is stopping. Try again in a moment.',
  'document.parts': 'This {kind} has more than {limit} parts.',
  'document.unpacked_size': 'This {kind} unpacks to more than {megabytes} MB.',
  'document.unpacked_ratio': 'This {kind} unpacks to more than {limit} times its size.',
  'document.timeout': 'Reading this {kind} took longer than {seconds} seconds.',
  'document.memory': 'Reading this {kind} needs more memory than the limit for one file.',
})
