import { translator } from '../../messages/index.ts'
import { TextField } from '../../ui/field.tsx'

const t = translator('knowledge')

export interface ChunkingText {
  max: string
  overlap: string
}

interface ChunkingFieldsProps {
  value: ChunkingText
  onChange: (value: ChunkingText) => void
}

/** Fields for the size and the overlap of chunks. The server requires an overlap of at most a quarter of the size. */
export const ChunkingFields = ({ value, onChange }: ChunkingFieldsProps) => (
  <div className="grid gap-4 sm:grid-cols-2">
    <TextField
      label={t('chunking.size')}
      hint={t('chunking.sizeHint')}
      type="number"
      min={32}
      max={2000}
      required
      value={value.max}
      onChange={({ target }) => onChange({ ...value, max: target.value })}
    />
    <TextField
      label={t('chunking.overlap')}
      hint={t('chunking.overlapHint')}
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
