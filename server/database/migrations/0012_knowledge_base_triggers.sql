-- A search scans the vectors of a knowledge base from end to end: they stay in their rows as far as a page holds them.
alter table kb_vectors alter column embedding set storage main;
--> statement-breakpoint
create type kb_change as (kb_id uuid, source_id uuid, status text, n int, chunks int, words int, dead int);
--> statement-breakpoint
-- What a source and a knowledge base count is the sum of their documents, whatever changes them. Who changes documents
-- that have chunks locks the knowledge base first, and so does this: knowledge base, then source.
create function count_kb_documents() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform add_kb_changes((select array_agg((kb_id, source_id, status, 1, chunk_count, word_count, 0)::kb_change)
      from new_documents));
  elsif tg_op = 'DELETE' then
    perform add_kb_changes((select array_agg(
      (kb_id, source_id, status, -1, -chunk_count, -word_count, chunk_count)::kb_change) from old_documents));
  else
    perform add_kb_changes((select array_agg((kb_id, source_id, status, n, chunks, words, dead)::kb_change) from (
      select kb_id, source_id, status, 1 as n, chunk_count as chunks, word_count as words, 0 as dead
      from new_documents
      union all
      select o.kb_id, o.source_id, o.status, -1, -o.chunk_count, -o.word_count,
        case when o.first_chunk = n.first_chunk then 0 else o.chunk_count end
      from old_documents o join new_documents n using (id)) as changes));
  end if;
  return null;
end $$;
--> statement-breakpoint
create function add_kb_changes(changes kb_change[]) returns void language plpgsql as $$
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
end $$;
--> statement-breakpoint
create trigger kb_documents_inserted after insert on kb_documents
  referencing new table as new_documents for each statement execute function count_kb_documents();
--> statement-breakpoint
create trigger kb_documents_updated after update on kb_documents
  referencing old table as old_documents new table as new_documents
  for each statement execute function count_kb_documents();
--> statement-breakpoint
create trigger kb_documents_deleted after delete on kb_documents
  referencing old table as old_documents for each statement execute function count_kb_documents();
--> statement-breakpoint
create function forget_kb_postings() returns trigger language plpgsql as $$
begin
  delete from kb_postings p using gone where p.kb_id = gone.id;
  return null;
end $$;
--> statement-breakpoint
create trigger knowledge_bases_deleted after delete on knowledge_bases
  referencing old table as gone for each statement execute function forget_kb_postings();
--> statement-breakpoint
create function forget_kb_vectors() returns trigger language plpgsql as $$
begin
  delete from kb_vectors v using gone where v.kb_id = gone.kb_id and v.number = gone.number;
  return null;
end $$;
--> statement-breakpoint
create trigger kb_chunks_deleted after delete on kb_chunks
  referencing old table as gone for each statement execute function forget_kb_vectors();
