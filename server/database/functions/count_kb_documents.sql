-- Updates the counters of knowledge bases and sources with each change of documents (add_kb_changes).
CREATE OR REPLACE FUNCTION public.count_kb_documents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE TRIGGER kb_documents_deleted AFTER DELETE ON kb_documents REFERENCING OLD TABLE AS old_documents FOR EACH STATEMENT EXECUTE FUNCTION count_kb_documents();

CREATE TRIGGER kb_documents_inserted AFTER INSERT ON kb_documents REFERENCING NEW TABLE AS new_documents FOR EACH STATEMENT EXECUTE FUNCTION count_kb_documents();

CREATE TRIGGER kb_documents_updated AFTER UPDATE ON kb_documents REFERENCING OLD TABLE AS old_documents NEW TABLE AS new_documents FOR EACH STATEMENT EXECUTE FUNCTION count_kb_documents();
