import { TextField } from '../../ui/field.tsx'

export interface ChunkingText {
  max: string
  overlap: string
}

interface ChunkingFieldsProps {
  value: ChunkingText
  onChange: (value: ChunkingText) => void
}

/** How texts are split; an overlap of more than a quarter is refused by the server, in words. */
export const ChunkingFields = ({ value, onChange }: ChunkingFieldsProps) => (
  <div className="grid gap-4 sm:grid-cols-2">
    <TextField
      label="Tokens in a chunk"
      hint="32 to 2,000. Small chunks are precise, large ones keep context."
      type="number"
      min={32}
      max={2000}
      required
      value={value.max}
      onChange={({ target }) => onChange({ ...value, max: target.value })}
    />
    <TextField
      label="Overlap"
      hint="Tokens that a chunk repeats of the one before; a quarter of its size at most."
      type="number"
      min={0}
      max={500}
      required
      value={value.overlap}
      onChange={({ target }) => onChange({ ...value, overlap: target.value })}
    />
  </div>
)

export const chunkingOf = ({ max, overlap }: ChunkingText) => ({
  max_tokens: Number(max),
  overlap_tokens: Number(overlap),
})
