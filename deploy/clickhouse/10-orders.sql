-- Every server makes its own replica; what belongs together is found by the path in Keeper.
create table if not exists shop.orders
(
    order_id UInt64,
    customer String,
    amount Decimal(10, 2),
    placed_at DateTime64(3, 'UTC')
)
engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/orders', '{replica}')
partition by toYYYYMM(placed_at)
order by order_id;

-- Reads all shards. Millrace writes to the shards themselves.
create table if not exists shop.all_orders as shop.orders
engine = Distributed('{cluster}', 'shop', 'orders');
