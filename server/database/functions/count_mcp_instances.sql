-- Counts the connections of each server, except pending ones. Locks servers in the order of their ids.
CREATE OR REPLACE FUNCTION public.count_mcp_instances()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  counts json;
begin
  if tg_op = 'INSERT' then
    select json_object_agg(server_id, n) into counts from (
      select server_id, count(*) as n from after_rows where status <> 'pending' group by server_id) changed;
  elsif tg_op = 'DELETE' then
    select json_object_agg(server_id, -n) into counts from (
      select server_id, count(*) as n from before_rows where status <> 'pending' group by server_id) changed;
  else
    select json_object_agg(server_id, n) into counts from (
      select server_id, sum(n) as n from (
        select server_id, 1 as n from after_rows where status <> 'pending'
        union all
        select server_id, -1 from before_rows where status <> 'pending') sides
      group by server_id having sum(n) <> 0) changed;
  end if;
  if counts is null then return null; end if;
  perform from mcp_servers where id in (select key::uuid from json_each_text(counts)) order by id for no key update;
  update mcp_servers set instance_count = instance_count + value::int
    from json_each_text(counts) where id = key::uuid;
  return null;
end $function$;

CREATE TRIGGER mcp_instances_change AFTER UPDATE ON mcp_instances REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION count_mcp_instances();

CREATE TRIGGER mcp_instances_come AFTER INSERT ON mcp_instances REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION count_mcp_instances();

CREATE TRIGGER mcp_instances_go AFTER DELETE ON mcp_instances REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION count_mcp_instances();
