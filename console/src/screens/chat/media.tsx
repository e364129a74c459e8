import type { ReplyMedia } from '@parley/client'
import type { Media } from '@parley/client/schemas'
import { Bar } from '../../ui/chart.tsx'

/** The images and videos of a reply, or how far one is. */
export const MediaMade = ({ media, progress }: { media: readonly Media[]; progress: ReplyMedia | null }) => (
  <>
    {progress?.status === 'generating' && (
      <div
        role="status"
        className="flex max-w-sm flex-col gap-2 rounded-xl border border-line bg-surface p-4"
      >
        <p className="text-sm text-muted">
          The {progress.type} is being made: {Math.round(progress.progress * 100)} %
        </p>
        <Bar share={progress.progress} />
      </div>
    )}
    {media.map(({ type, url }) =>
      type === 'image' ? (
        <a key={url} href={url} target="_blank" rel="noopener noreferrer" className="self-start">
          <img
            src={url}
            alt="Made by the model"
            className="max-h-96 max-w-full rounded-xl border border-line"
          />
        </a>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: what a model has filmed has no words
        <video
          key={url}
          src={url}
          controls
          aria-label="Video made by the model"
          className="max-h-96 max-w-full self-start rounded-xl border border-line"
        />
      ),
    )}
  </>
)
