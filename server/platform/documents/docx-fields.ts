import type { XmlAttributes } from './xml.ts'

/** A field that is not closed yet, such as a hyperlink or a check box (ECMA-376, 17.16). */
export interface Field {
  code: string
  /** Code and result of a complex field follow each other. Only the result is text. */
  state: 'code' | 'result'
  /** Text of a form field without a result: a check box, or the chosen entry of a list. */
  form: { isChecked: boolean | null; entries: string[]; chosen: number } | null
  /** Length of the paragraph's text where the result starts. */
  from: number
}

export const newField = (code: string, state: Field['state'], from: number): Field => ({
  code,
  state,
  form: null,
  from,
})

/** Returns the first word of a field's code, in uppercase. */
export const fieldName = ({ code }: Field): string => (/^\s*(\w+)/.exec(code)?.[1] ?? '').toUpperCase()

/** Fields whose result is a page number. Such a number is noise in a header or footer. */
export const PAGE_FIELDS = new Set(['PAGE', 'NUMPAGES', 'SECTIONPAGES', 'SECTION'])

/** Returns the URL of a HYPERLINK field. Null for other fields, and for links within the document. */
export const urlOf = ({ code }: Field): string | null =>
  /^\s*HYPERLINK\s+(?:"([^"]{1,2000})"|([^\s"\\]{1,2000}))/i
    .exec(code)
    ?.slice(1)
    .find((url) => url) ?? null

/** Reads the properties of a form field (ECMA-376, 17.16.17). */
export function readFormField(field: Field, name: string, attributes: XmlAttributes, isOn: boolean): void {
  field.form ??= { isChecked: null, entries: [], chosen: 0 }
  const { form } = field
  if (name === 'w:checkBox') form.isChecked = false
  if ((name === 'w:checked' || name === 'w:default') && form.isChecked !== null) form.isChecked = isOn
  if (name === 'w:result') form.chosen = Number(attributes.get('w:val')) || 0
  if (name === 'w:listEntry') form.entries.push(attributes.get('w:val') ?? '')
}

export const checkMark = (isChecked: boolean): string => (isChecked ? '☒' : '☐')

/** Returns the text of a field that has no result of its own. */
export function textOfField(field: Field): string {
  const { form } = field
  if (form?.isChecked != null) return checkMark(form.isChecked)
  if (form !== null && form.entries.length > 0) return form.entries[form.chosen] ?? ''
  // A field of the type EQ is an equation, which its code describes.
  return fieldName(field) === 'EQ' ? field.code.replace(/^\s*EQ\s+/i, '').trim() : ''
}
