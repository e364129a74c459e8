/** The properties of pdf.js' annotations that are read here. Files may omit each of them. */
export interface Annotation {
  subtype?: string
  annotationFlags?: number
  contentsObj?: { str?: string }
  titleObj?: { str?: string }
  richText?: { str?: string } | null
  /** Lines of the appearance of a note or a text field. */
  textContent?: string[]
  fieldType?: string | null
  fieldName?: string
  /** Description of a field for people. */
  alternativeText?: string
  fieldValue?: string | string[] | null
  hidden?: boolean
  password?: boolean
  checkBox?: boolean
  radioButton?: boolean
  /** The value of a field if this checkbox is checked, or this radio button is selected. */
  exportValue?: string | null
  buttonValue?: string | null
  options?: { exportValue?: string | null; displayValue?: string | null }[]
}

/** Annotations that people write. Others are links, media and the windows of notes. */
const NOTES = new Set(
  'Text FreeText Highlight Underline Squiggly StrikeOut Stamp Caret Ink Line Square Circle Polygon PolyLine FileAttachment Redact'.split(
    ' ',
  ),
)

const HIDDEN = 2

/**
 * Returns the text of annotations, one entry for each: the values of filled form fields as `name: value`, and the text
 * of notes. Omits hidden ones, because nobody who looks at the document sees them, and passwords.
 */
export function writeAnnotations(annotations: readonly Annotation[]): string[] {
  const visible = annotations.filter(
    ({ annotationFlags = 0, hidden }) => (annotationFlags & HIDDEN) === 0 && hidden !== true,
  )
  // A field may have several annotations with the same value.
  return [...new Set(visible.map(writeAnnotation))].filter((text) => text !== '')
}

function writeAnnotation(annotation: Annotation): string {
  if (annotation.subtype === 'Widget') return writeField(annotation)
  return NOTES.has(annotation.subtype ?? '') ? writeNote(annotation) : ''
}

function writeNote({ subtype, contentsObj, richText, textContent, titleObj }: Annotation): string {
  const text = (contentsObj?.str || richText?.str || textContent?.join('\n') || '').trim()
  if (text === '' || subtype === 'FreeText') return text
  const author = titleObj?.str?.trim()
  return author ? `[Note by ${author}: ${text}]` : `[Note: ${text}]`
}

function writeField(field: Annotation): string {
  const value = field.password ? '' : readValue(field)
  if (value === '') return ''
  const name = (field.alternativeText || field.fieldName || '').trim()
  return name === '' ? value : `${name}: ${value}`
}

function readValue(field: Annotation): string {
  const value = [field.fieldValue ?? []].flat().map(String)
  if (field.checkBox) return writeCheckBox(field, value[0] ?? OFF)
  if (field.radioButton) return value[0] === field.buttonValue && value[0] !== OFF ? (value[0] ?? '') : ''
  if (field.fieldType === 'Ch') return value.map((one) => nameOfOption(field, one)).join(', ')
  if (field.fieldType !== 'Tx') return ''
  return (value.join('\n') || field.textContent?.join('\n') || '').trim()
}

const OFF = 'Off'

function writeCheckBox({ exportValue }: Annotation, value: string): string {
  const isChecked = value !== OFF && value !== '' && (!exportValue || value === exportValue)
  return isChecked ? `[x] ${value}` : UNCHECKED
}

const UNCHECKED = '[ ]'

/** Returns whether the text of an annotation is that of a box that is not checked. */
export const isUnchecked = (written: string): boolean => written.endsWith(UNCHECKED)

/** Returns the displayed name of an option, followed by its value if that differs. */
function nameOfOption({ options = [] }: Annotation, value: string): string {
  const name = options.find(({ exportValue }) => exportValue === value)?.displayValue?.trim()
  return name && name !== value ? `${name} (${value})` : value
}
