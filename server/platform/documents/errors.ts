import { defineErrors } from '#errors/define.ts'

export const DOCUMENTS_ERRORS = defineErrors({
  'document.encrypted': 'This {kind} is encrypted. Remove its password and add it again.',
  'document.damaged': 'This {kind} is damaged and could not be read. Repair it and add it again.',
  'document.no_text': 'This {kind} contains no text. Add one that contains text.',
  'document.no_text_in_pdf':
    'This PDF contains no text. Its pages are empty or images. Run text recognition (OCR) on it and add it again.',
  'document.page_damaged': 'Page {number} of this PDF is damaged and could not be read.',
  'document.type':
    'Files of this type are stored, but their text is not extracted. For text, use PDF, TXT, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, EML, CSV or MD.',
  'document.not_its_type':
    'The content of this file does not match its file extension. Correct the extension and add the file again.',
  'document.busy': 'Too many files are being read. Try again in a moment.',
  'document.stopping': 'The server is stopping. Try again in a moment.',
  'document.parts': 'This {kind} has more than {limit} parts. Split it into smaller files.',
  'document.unpacked_size': 'This {kind} unpacks to more than {megabytes} MB. Split it into smaller files.',
  'document.unpacked_ratio':
    'This {kind} unpacks to more than {limit} times its compressed size. Save it again, or split it into smaller files.',
  'document.timeout': 'Reading this {kind} took longer than {seconds} seconds. Split it into smaller files.',
  'document.memory':
    'Reading this {kind} exceeds the memory limit for one file. Split it into smaller files.',
})
