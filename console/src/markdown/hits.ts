import { createContext } from 'react'

/** A piece of a text. `isHit` says whether the piece matches a search. */
export interface Piece {
  text: string
  isHit: boolean
}

/** Splits the text of rendered Markdown into pieces, to highlight the matches of a search. Null highlights nothing. */
export const HitsContext = createContext<((text: string) => Piece[]) | null>(null)
