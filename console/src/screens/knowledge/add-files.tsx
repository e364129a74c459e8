import { FileUp, RotateCcw, X } from 'lucide-react'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Bar } from '../../ui/chart.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatBytes } from '../../ui/format.ts'
import type { OutgoingFile, Uploads } from './use-uploads.ts'

/** What the server reads (api/kb/upload_file). Others are not offered; it refuses them in words. */
const KINDS = '.pdf,.txt,.docx,.xlsx,.csv,.md'

/** Opens the picker of files. */
export function PickFiles({
  uploads,
  kind = 'primary',
}: {
  uploads: Uploads
  kind?: 'primary' | 'secondary'
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        accept={KINDS}
        aria-label="Files to add"
        className="hidden"
        onChange={({ target }) => {
          if (target.files) uploads.add(target.files)
          // The same file may be picked again.
          target.value = ''
        }}
      />
      <Button kind={kind} icon={FileUp} onClick={() => input.current?.click()}>
        Add files
      </Button>
    </>
  )
}

/** Takes files that are dropped anywhere on what it is around. */
export function DropFiles({ uploads, children }: { uploads: Uploads | null; children: ReactNode }) {
  const [depth, setDepth] = useState(0)
  if (!uploads) return <>{children}</>
  const take = (event: DragEvent, change: (depth: number) => number) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setDepth(change)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped can be picked by the button too
    <div
      className="relative flex min-h-64 flex-col gap-4"
      onDragEnter={(event) => take(event, (before) => before + 1)}
      onDragLeave={(event) => take(event, (before) => before - 1)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        take(event, () => 0)
        uploads.add(event.dataTransfer.files)
      }}
    >
      {children}
      <div
        aria-hidden
        className={classNames(
          'pointer-events-none absolute -inset-2 z-10 items-center justify-center rounded-2xl border-2 border-dashed border-accent bg-accent-soft font-medium text-accent',
          depth > 0 ? 'flex' : 'hidden',
        )}
      >
        Drop the files to add them
      </div>
    </div>
  )
}

/** Files on their way, and those that were refused with the reason. */
export function OutgoingFiles({ uploads }: { uploads: Uploads }) {
  const { files } = uploads
  const going = files.filter(({ error }) => error === null)
  const sent = going.reduce((sum, { share }) => sum + share, 0)
  return (
    <>
      <p role="status" className="sr-only">
        {going.length > 0 &&
          `Sending ${going.length} files, ${Math.floor((10 * sent) / going.length) * 10} % sent`}
      </p>
      {files.length > 0 && (
        <ul
          aria-label="Files being added"
          className="divide-y divide-line rounded-2xl border border-line bg-raised"
        >
          {files.map((one) => (
            <OutgoingRow key={one.key} one={one} uploads={uploads} />
          ))}
        </ul>
      )}
    </>
  )
}

function OutgoingRow({ one: { key, file, share, error }, uploads }: { one: OutgoingFile; uploads: Uploads }) {
  return (
    <li className="flex items-center gap-3 px-4 py-2.5 text-sm">
      <div className="flex min-w-0 grow flex-col gap-1">
        <div className="flex items-baseline justify-between gap-3">
          <span className="min-w-0 truncate font-medium">{file.name}</span>
          <span className="shrink-0 text-muted tabular-nums">
            {error ? formatBytes(file.size) : share === 1 ? 'Being checked' : `${Math.floor(share * 100)} %`}
          </span>
        </div>
        {error ? (
          <p role="alert" className="text-danger">
            {error.message}
          </p>
        ) : (
          <Bar share={share} />
        )}
      </div>
      {error && (
        <IconButton
          small
          icon={RotateCcw}
          label={`Try ${file.name} again`}
          onClick={() => uploads.retry(key)}
        />
      )}
      <IconButton
        small
        icon={X}
        label={error ? `Take ${file.name} off the list` : `Do not send ${file.name}`}
        onClick={() => uploads.remove(key)}
      />
    </li>
  )
}
