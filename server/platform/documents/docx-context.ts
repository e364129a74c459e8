import type { DocxNumbering, DocxStyles } from './docx-styles.ts'
import type { Relation } from './office-package.ts'

/** Footnotes and endnotes, numbered in the order in which the text refers to them. */
export interface Notes {
  texts: Map<string, string>
  /** Numbers of the notes that the text refers to, from 1. */
  numbers: Map<string, number>
}

export interface DocxContext {
  styles: DocxStyles
  numbering: DocxNumbering
  notes: Notes
  /** Relations of the part that is read. */
  relations: Map<string, Relation>
  /** Markdown of charts, diagrams and embedded documents, by the ID of the relation. */
  embedded: Map<string, string>
  /** True for headers and footers, whose page numbers are left out. */
  isMargin: boolean
}
