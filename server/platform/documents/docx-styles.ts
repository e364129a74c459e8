import { LEVELS_MAX, type Level, ListCounter } from './numbering.ts'
import type { XmlAttributes, XmlHandler } from './xml.ts'

/** Maximum length of a chain of styles that are based on each other. */
const CHAIN_MAX = 20

/** The list and level that a paragraph or style states. */
export interface ListPlace {
  list: string
  level: number
}

interface Style {
  name: string
  base: string
  list: string | null
  level: number | null
  outline: number | null
  isHidden: boolean | null
}

/** Returns whether a property that is on by its presence is on (ECMA-376, 17.17.4). */
export const isOn = (attributes: XmlAttributes, name = 'w:val'): boolean =>
  !/^(0|false|off|none)$/i.test(attributes.get(name) ?? '1')

/** The styles of a document (ECMA-376, 17.7). */
export class DocxStyles {
  readonly #styles = new Map<string, Style>()

  reader(): XmlHandler {
    let style: Style | null = null
    let changes = 0
    return {
      open: (name, attributes) => {
        if (name.endsWith('Change')) changes++
        const value = attributes.get('w:val') ?? ''
        if (name === 'w:style') {
          style = { name: '', base: '', list: null, level: null, outline: null, isHidden: null }
          this.#styles.set(attributes.get('w:styleId') ?? '', style)
        }
        if (style === null || changes > 0) return
        if (name === 'w:name') style.name = value.toLowerCase()
        if (name === 'w:basedOn') style.base = value
        if (name === 'w:numId') style.list = value
        if (name === 'w:ilvl') style.level = Number(value)
        if (name === 'w:outlineLvl') style.outline = Number(value)
        if (name === 'w:vanish') style.isHidden = isOn(attributes)
      },
      close: (name) => {
        if (name.endsWith('Change')) changes--
        if (name === 'w:style') style = null
      },
      text() {},
    }
  }

  /** Returns the first value that a style or one of its bases states. */
  #find<Value>(id: string, pick: (style: Style, id: string) => Value | null): Value | null {
    let next = id
    for (let count = 0; count < CHAIN_MAX; count++) {
      const style = this.#styles.get(next)
      const value = pick(style ?? NO_STYLE, next)
      if (value !== null || style === undefined || style.base === next) return value
      next = style.base
    }
    return null
  }

  /** Returns the level of the headings of a style, from 1. Null if it is no heading. */
  headingOf(id: string): number | null {
    if (id === '') return null
    const level = this.#find(id, ({ name, outline }, found) => {
      const [, digit] = /^heading\s?([1-9])$/.exec(name) ?? /^heading([1-9])$/i.exec(found) ?? []
      if (digit !== undefined) return Number(digit)
      if (/^heading$/i.test(found) || name === 'heading') return 1
      return outline === null ? null : outline + 1
    })
    return level === null || level > LEVELS_MAX ? null : level
  }

  /** Returns the list of a style. The numbering states the level of each style. */
  listOf(id: string): string | null {
    return id === '' ? null : this.#find(id, ({ list }) => list)
  }

  levelOf(id: string): number | null {
    return id === '' ? null : this.#find(id, ({ level }) => level)
  }

  isHidden(id: string): boolean {
    return id !== '' && this.#find(id, ({ isHidden }) => isHidden) === true
  }
}

const NO_STYLE: Style = { name: '', base: '', list: null, level: null, outline: null, isHidden: null }

interface ListDefinition {
  levels: (Level | undefined)[]
  /** Style whose list defines the levels. */
  link: string
  counter: ListCounter
}

interface List {
  definition: string
  levels: (Level | undefined)[]
  /** Numbers at which this list restarts, by level. Empty once it has begun. */
  starts: (number | undefined)[]
}

/** The number of a paragraph. `text` is '' for a bullet. */
export interface Label {
  isBullet: boolean
  text: string
}

/** The numbered and bulleted lists of a document (ECMA-376, 17.9). Paragraphs must be numbered in document order. */
export class DocxNumbering {
  readonly #definitions = new Map<string, ListDefinition>()
  readonly #lists = new Map<string, List>()
  readonly #styles: DocxStyles

  constructor(styles: DocxStyles) {
    this.#styles = styles
  }

  reader(): XmlHandler {
    let levels: (Level | undefined)[] = []
    let definition: ListDefinition | null = null
    let list: List | null = null
    let level: Level | null = null
    let overridden = 0
    const openList = (name: string, attributes: XmlAttributes): boolean => {
      if (name === 'w:abstractNum') {
        levels = []
        definition = { levels, link: '', counter: new ListCounter() }
        this.#definitions.set(attributes.get('w:abstractNumId') ?? '', definition)
      } else if (name === 'w:num') {
        levels = []
        list = { definition: '', levels, starts: [] }
        this.#lists.set(attributes.get('w:numId') ?? '', list)
      } else if (name === 'w:lvl') {
        const depth = levelIn(attributes)
        level = { start: 1, format: 'decimal', text: '', restart: depth, isLegal: false, style: '' }
        levels[depth] = level
      } else return false
      return true
    }
    return {
      open: (name, attributes) => {
        if (openList(name, attributes)) return
        const value = attributes.get('w:val') ?? ''
        if (name === 'w:numStyleLink' && definition !== null) definition.link = value
        if (name === 'w:abstractNumId' && list !== null) list.definition = value
        if (name === 'w:lvlOverride') overridden = levelIn(attributes)
        if (name === 'w:startOverride' && list !== null) list.starts[overridden] = Number(value)
        if (level !== null) readLevel(level, name, attributes)
      },
      close(name) {
        if (name === 'w:lvl') level = null
        if (name === 'w:num') list = null
        if (name === 'w:abstractNum') definition = null
      },
      text() {},
    }
  }

  /** Returns the level of a style's paragraphs in a list. */
  levelOfStyle(list: string, style: string): number {
    const levels = this.#resolve(list)?.levels ?? []
    return Math.max(
      0,
      levels.findIndex((level) => level !== undefined && level.style === style && style !== ''),
    )
  }

  /** Counts a paragraph of a list, and returns its label. Null if the list is unknown. */
  next({ list, level }: ListPlace): Label | null {
    const found = this.#resolve(list)
    const shown = found?.levels[level]
    if (found === null || shown === undefined) return null
    const { starts } = this.#lists.get(list) as List
    starts.forEach((start, at) => {
      if (start !== undefined) found.counter.restart(at, start)
    })
    starts.length = 0
    const text = found.counter.next(found.levels, level)
    return { isBullet: shown.format === 'bullet', text }
  }

  #resolve(id: string): { levels: (Level | undefined)[]; counter: ListCounter } | null {
    const list = this.#lists.get(id)
    let definition = this.#definitions.get(list?.definition ?? '')
    if (definition !== undefined && definition.link !== '') {
      const linked = this.#lists.get(this.#styles.listOf(definition.link) ?? '')
      definition = this.#definitions.get(linked?.definition ?? '') ?? definition
    }
    if (list === undefined || definition === undefined) return null
    const { levels, counter } = definition
    const own = list.levels
    return { levels: own.length === 0 ? levels : levels.map((level, at) => own[at] ?? level), counter }
  }
}

const levelIn = (attributes: XmlAttributes): number =>
  Math.min(LEVELS_MAX - 1, Math.max(0, Number(attributes.get('w:ilvl')) || 0))

function readLevel(level: Level, name: string, attributes: XmlAttributes): void {
  const value = attributes.get('w:val') ?? ''
  if (name === 'w:start') level.start = Number(value) || 0
  if (name === 'w:numFmt') level.format = value
  if (name === 'w:lvlText') level.text = value
  if (name === 'w:lvlRestart') level.restart = Number(value) || 0
  if (name === 'w:isLgl') level.isLegal = isOn(attributes)
  if (name === 'w:pStyle') level.style = value
}
