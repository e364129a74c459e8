-- Applies changes of documents to the counters of their knowledge bases and sources.
CREATE OR REPLACE FUNCTION public.add_kb_changes(changes kb_change[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update knowledge_bases k
  set chunk_count = k.chunk_count + c.chunks, word_count = k.word_count + c.words,
    dead_count = k.dead_count + c.dead, index_version = k.index_version + 1
  from (select kb_id, sum(chunks) as chunks, sum(words) as words, sum(dead) as dead
    from unnest(changes) group by kb_id) as c
  where k.id = c.kb_id and (c.chunks <> 0 or c.words <> 0 or c.dead <> 0);
  update kb_sources s
  set documents_pending = s.documents_pending + c.pending, documents_ready = s.documents_ready + c.ready,
    documents_failed = s.documents_failed + c.failed
  from (select source_id, coalesce(sum(n) filter (where status in ('pending', 'processing')), 0) as pending,
      coalesce(sum(n) filter (where status = 'ready'), 0) as ready,
      coalesce(sum(n) filter (where status = 'failed'), 0) as failed
    from unnest(changes) group by source_id) as c
  where s.id = c.source_id and (c.pending <> 0 or c.ready <> 0 or c.failed <> 0);
end $function$;
